"""Where the log lives."""

from __future__ import annotations

from unbraid.system.home import LOG_FILE_NAME
from unbraid.system.home import data_folder as data_folder

FILE_NAME = LOG_FILE_NAME
