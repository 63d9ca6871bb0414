"""The OpenAPI document, made from the same values as the routes."""

from __future__ import annotations

from collections.abc import Iterable
from http import HTTPStatus
from typing import Any

import msgspec

from unbraid import __version__
from unbraid.serve.operations import Operation

_REF = "#/components/schemas/{name}"
_ERROR: dict[str, Any] = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "message"],
            "properties": {"code": {"type": "string"}, "message": {"type": "string"}},
        }
    },
}
# Any route may say these, whatever it is about.
_ALWAYS = (401, 403, 421, 503)


def document(operations: Iterable[Operation]) -> dict[str, Any]:
    """Returns the whole description."""
    operations = list(operations)
    types = [kind for op in operations for kind in (op.answer, op.body) if kind is not None]
    schemas, components = msgspec.json.schema_components(types, ref_template=_REF)
    by_type = dict(zip(map(id, types), schemas, strict=True))
    paths: dict[str, dict[str, Any]] = {}
    for op in operations:
        paths.setdefault(op.path, {})[op.method.lower()] = _operation(op, by_type)
    return {
        "openapi": "3.1.0",
        "info": {"title": "unbraid", "version": __version__, "description": "What agents say."},
        "paths": paths,
        "components": {
            "schemas": {**components, "Problem": _ERROR},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{}, {"token": []}],
    }


def _operation(op: Operation, schemas: dict[int, dict[str, Any]]) -> dict[str, Any]:
    described: dict[str, Any] = {
        "operationId": op.endpoint.__name__,
        "summary": op.summary,
        "description": op.endpoint.__doc__ or "",
        "parameters": [
            {
                "name": parameter.name,
                "in": parameter.where,
                "required": parameter.required,
                "description": parameter.description,
                "schema": parameter.schema,
            }
            for parameter in op.parameters
        ],
        "responses": _responses(op, schemas),
    }
    if op.body is not None:
        raw = op.body is bytes
        schema = {"type": "string", "format": "binary"} if raw else schemas[id(op.body)]
        described["requestBody"] = {
            "required": not raw,
            "content": {op.body_media: {"schema": schema}},
        }
    return described


def _responses(op: Operation, schemas: dict[int, dict[str, Any]]) -> dict[str, Any]:
    good: dict[str, Any] = {"description": op.summary}
    if op.answer is not None:
        content = {op.media: {"schema": schemas[id(op.answer)]}}
        if op.media == "text/event-stream":
            content["application/x-ndjson"] = content[op.media]
        good["content"] = content
    problem = {"application/json": {"schema": {"$ref": _REF.format(name="Problem")}}}
    responses = {str(op.status): good}
    for status in sorted({*op.problems, *_ALWAYS}):
        responses[str(status)] = {"description": HTTPStatus(status).phrase}
        if status >= 400:
            responses[str(status)]["content"] = problem
    return responses
