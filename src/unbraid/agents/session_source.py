"""The name of a source under its former module."""

from unbraid.agents.source import SessionSource as SessionSource
