"""The routes, a file a noun."""

from unbraid.serve.operations import Operation
from unbraid.serve.routes import (
    administration,
    ag_ui,
    alerts,
    control,
    costs,
    events,
    export,
    ingest,
    orchestrate,
    permissions,
    runs,
    search,
    steering,
)

OPERATIONS: tuple[Operation, ...] = (
    *runs.OPERATIONS,
    *events.OPERATIONS,
    *export.OPERATIONS,
    *search.OPERATIONS,
    *costs.OPERATIONS,
    *ingest.OPERATIONS,
    *control.OPERATIONS,
    *steering.OPERATIONS,
    *permissions.OPERATIONS,
    *alerts.OPERATIONS,
    *orchestrate.OPERATIONS,
    *ag_ui.OPERATIONS,
    *administration.OPERATIONS,
)
