"""Names of files as sources under their former module."""

from unbraid.agents.files import BATCH_BYTES as BATCH_BYTES
from unbraid.agents.files import MAX_NAME_CHARS as MAX_NAME_CHARS
from unbraid.agents.files import FollowedFiles as FollowedFiles
from unbraid.agents.files import RecordedFile as RecordedFile
from unbraid.agents.files import begin_chunks as begin_chunks
from unbraid.agents.files import file_name as file_name
from unbraid.agents.files import recorded_files as recorded_files
from unbraid.agents.files import source_name as source_name
