"""A run, or one of its streams, as one file for people: HTML, Markdown or JSON."""

from unbraid.export.document import RunExport, RunFold
from unbraid.export.formats import FORMATS, MEDIA_TYPES, RunFile

__all__ = ["FORMATS", "MEDIA_TYPES", "RunExport", "RunFile", "RunFold"]
