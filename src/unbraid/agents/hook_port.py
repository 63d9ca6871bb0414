"""Names of the port under their former module: hooks."""

from unbraid.agents.port import CALLERS_NAME as CALLERS_NAME
from unbraid.agents.port import FOLDER as FOLDER
from unbraid.agents.port import ORDERS_NAME as ORDERS_NAME
from unbraid.agents.port import SOCKET_NAME as SOCKET_NAME
from unbraid.agents.port import STALLED_NAME as STALLED_NAME
from unbraid.agents.port import CliHooks as CliHooks
from unbraid.agents.port import HookCall as HookCall
from unbraid.agents.port import HookServices as HookServices
from unbraid.agents.port import HookState as HookState
from unbraid.agents.port import hook_folder as hook_folder
