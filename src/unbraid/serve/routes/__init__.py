"""The routes, a file a noun."""

from unbraid.serve.operations import Operation
from unbraid.serve.routes import (
    ag_ui,
    control,
    costs,
    events,
    export,
    ingest,
    operate,
    orchestrate,
    permissions,
    runs,
    search,
)

OPERATIONS: tuple[Operation, ...] = (
    *runs.OPERATIONS,
    *events.OPERATIONS,
    *export.OPERATIONS,
    *search.OPERATIONS,
    *costs.OPERATIONS,
    *ingest.OPERATIONS,
    *control.OPERATIONS,
    *permissions.OPERATIONS,
    *orchestrate.OPERATIONS,
    *ag_ui.OPERATIONS,
    *operate.OPERATIONS,
)
