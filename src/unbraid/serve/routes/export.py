"""A run as one file."""

from __future__ import annotations

import asyncio

from starlette.requests import Request
from starlette.responses import Response

from unbraid.errors import CallerError
from unbraid.log.port import run_pages
from unbraid.send.export import FORMATS, MEDIA_TYPES, RunFile
from unbraid.serve import parameters
from unbraid.serve.operations import Operation, Parameter
from unbraid.serve.problems import Problem
from unbraid.serve.routes.run_parameters import NUMBER, RUN, existing_run
from unbraid.serve.services import services_of

# A file to save. Where a browser shows it all the same, nothing in it may act as this site.
_HEADERS = {"content-security-policy": "sandbox; default-src 'none'; style-src 'unsafe-inline'"}
_SUFFIXES = {"html": "html", "markdown": "md", "json": "json"}


async def export_run(request: Request) -> Response:
    """Answers with a run, or one stream of it, as a file, with its costs."""
    form = parameters.choice(request, "format", FORMATS) or "html"
    stream_id = parameters.number(request, "stream")
    summary = await existing_run(request)
    made = RunFile(summary.run, form, stream=stream_id)
    async for page in run_pages(services_of(request).log, summary.run):
        made.apply([entry.event for entry in page])
    try:
        export = made.export()
    except CallerError as error:
        raise Problem(404, str(error)) from None
    data = await asyncio.to_thread(made.content, export)
    name = summary.run if stream_id is None else f"{summary.run}-{stream_id}"
    file = {"content-disposition": f'attachment; filename="{name}.{_SUFFIXES[form]}"'}
    return Response(data, media_type=MEDIA_TYPES[form], headers=_HEADERS | file)


FORMAT = Parameter(
    "format", {"type": "string", "enum": list(FORMATS), "default": "html"}, "The kind of file."
)
STREAM = Parameter("stream", NUMBER, "Only this stream; 0 is the main agent.")

OPERATIONS = (
    Operation(
        "GET",
        "/v1/runs/{run}/export",
        endpoint=export_run,
        summary="A run as one file",
        answer=str,
        media="text/html",
        parameters=(RUN, FORMAT, STREAM),
        problems=(400, 404),
    ),
)
