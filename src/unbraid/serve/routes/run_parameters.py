"""Parameters that several routes have, and the run that most are about."""

from __future__ import annotations

from starlette.requests import Request

from unbraid.log.summary import RunSummary
from unbraid.read.names import RUN_PATTERN
from unbraid.serve.operations import Parameter
from unbraid.serve.parameters import MAX_NUMBER, run_of
from unbraid.serve.problems import Problem
from unbraid.serve.services import services_of

NUMBER = {"type": "integer", "minimum": 0, "maximum": MAX_NUMBER}
TEXT = {"type": "string", "maxLength": 500, "pattern": "^[^\\u0000]*$"}

RUN = Parameter(
    "run", {"type": "string", "pattern": RUN_PATTERN}, "The run's id.", where="path", required=True
)
STREAM_ID = Parameter(
    "stream_id", NUMBER, "The stream's number; 0 is the main agent.", where="path", required=True
)


def limit_of(most: int) -> Parameter:
    """Returns the parameter that limits how many results are returned."""
    return Parameter("limit", {"type": "integer", "minimum": 0, "maximum": most}, "How many.")


async def existing_run(request: Request) -> RunSummary:
    """Returns the run in the path, or 404. A stored session is imported into the log first."""
    run = run_of(request)
    summary = await services_of(request).all_runs.run(run)
    if summary is None:
        raise Problem(404, f"run not found: {run}")
    return summary
