"""The routes, a file a noun."""

from unbraid.serve.operations import Operation
from unbraid.serve.routes import administration, events, ingest, orchestrate, runs, steering

OPERATIONS: tuple[Operation, ...] = (
    *runs.OPERATIONS,
    *events.OPERATIONS,
    *ingest.OPERATIONS,
    *steering.OPERATIONS,
    *orchestrate.OPERATIONS,
    *administration.OPERATIONS,
)
