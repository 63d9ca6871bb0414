"""Names of the port under their former module: stored sessions."""

from unbraid.agents.port import FileFormats as FileFormats
from unbraid.agents.port import SearchHit as SearchHit
from unbraid.agents.port import SessionState as SessionState
from unbraid.agents.port import SessionStore as SessionStore
from unbraid.agents.port import SessionWatch as SessionWatch
from unbraid.agents.port import SourceForm as SourceForm
from unbraid.agents.port import StoredBlock as StoredBlock
from unbraid.agents.port import StoredSession as StoredSession
from unbraid.agents.port import files_version as files_version
from unbraid.agents.port import problem_of as problem_of
from unbraid.agents.port import translate_run as translate_run
from unbraid.agents.source import Recorded as Recorded
from unbraid.agents.source import Source as Source
