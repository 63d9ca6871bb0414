"""Names of `agents/port.py` under their documented module, for plugins."""

from unbraid.agents.control_port import Controller as Controller
from unbraid.agents.port import AgentProcess as AgentProcess
from unbraid.agents.port import Command as Command
from unbraid.agents.port import Launcher as Launcher
from unbraid.agents.port import OutputRenderer as OutputRenderer
from unbraid.agents.port import RunReference as RunReference
