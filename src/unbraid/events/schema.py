"""The types of events for other languages: JSON Schema and TypeScript, made from the Python ones.

Both are shipped with the package, as `events.schema.json` and `events.d.ts` beside this file;
docs/generate.py writes them, and a test holds them to the types.
"""

from __future__ import annotations

import typing
from collections.abc import Iterable
from functools import cache
from typing import Any

import msgspec

from unbraid.events.fleet import FLEET_EVENTS, Draft, Gap
from unbraid.events.relay import RELAY_EVENTS

# A tool's result travels as the bytes that came, and is always a text.
TEXTS = ("content",)
STREAMED: tuple[type[msgspec.Struct], ...] = (*FLEET_EVENTS, Gap, Draft)
EVENTS: tuple[type[msgspec.Struct], ...] = (*STREAMED, *RELAY_EVENTS)
_PLAIN = {int: "number", float: "number", str: "string", bool: "boolean", type(None): "null"}
_UNIONS = (typing.Union, type(int | str))


@cache
def described(kind: type[msgspec.Struct]) -> type[msgspec.Struct]:
    """Returns an event's type as it is written, where the Python one keeps JSON as it came."""
    fields: list[tuple[str, Any, Any]] = []
    for field in msgspec.structs.fields(kind):
        hint, default = _described_hint(field.type), field.default
        if hint is msgspec.Raw:
            hint = str if field.encode_name in TEXTS else Any
            default = "" if hint is str else None
        if field.default_factory is not msgspec.NODEFAULT:
            default = msgspec.field(default_factory=field.default_factory)
        elif field.required:
            default = msgspec.field()
        fields.append((field.encode_name, hint, default))
    return msgspec.defstruct(
        kind.__name__,
        fields,
        tag=kind.__struct_config__.tag,
        tag_field="type",
        kw_only=True,
        namespace={"__doc__": kind.__doc__},
    )


def _described_hint(hint: Any) -> Any:
    if _is_struct(hint):
        return described(hint)
    origin, args = typing.get_origin(hint), tuple(map(_described_hint, typing.get_args(hint)))
    if origin in _UNIONS:
        return typing.Union[args]  # noqa: UP007
    return list[args] if origin is list else hint  # type: ignore[valid-type]


def json_schema() -> dict[str, Any]:
    """Returns a JSON Schema: a fleet event is valid under it; `$defs` has every other type."""
    template = "#/$defs/{name}"
    kinds = [described(kind) for kind in EVENTS]
    _, components = msgspec.json.schema_components(kinds, ref_template=template)
    for name, members in (("FleetEvent", FLEET_EVENTS), ("RelayEvent", RELAY_EVENTS)):
        refs = [{"$ref": template.format(name=kind.__name__)} for kind in members]
        components[name] = {"oneOf": refs}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$comment": "Written by docs/generate.py from the Python types.",
        "title": "unbraid events",
        "$ref": template.format(name="FleetEvent"),
        "$defs": dict(sorted(components.items())),
    }


def typescript() -> str:
    """Returns a module of TypeScript types."""
    head = "// Written by docs/generate.py from the Python types.\n\n"
    unions = union("FleetEvent", FLEET_EVENTS) + union("RelayEvent", RELAY_EVENTS)
    return head + interfaces(EVENTS) + unions.removesuffix("\n")


def interfaces(kinds: Iterable[type[msgspec.Struct]]) -> str:
    """Returns types, and those that they are made of, as interfaces."""
    return "".join(_interface(kind) + "\n" for kind in _with_parts(list(kinds)))


def union(name: str, kinds: Iterable[type[msgspec.Struct]]) -> str:
    """Returns a type that is one of several."""
    members = "\n".join(f"  | {kind.__name__}" for kind in kinds)
    return f"export type {name} =\n{members};\n\n"


def _with_parts(found: list[type[msgspec.Struct]]) -> list[type[msgspec.Struct]]:
    for kind in found:
        for field in msgspec.structs.fields(kind):
            parts = [field.type, *typing.get_args(field.type)]
            found += [part for part in parts if _is_struct(part) and part not in found]
    return found


def _is_struct(hint: Any) -> bool:
    return isinstance(hint, type) and issubclass(hint, msgspec.Struct)


def _interface(kind: type[msgspec.Struct]) -> str:
    doc = " ".join((kind.__doc__ or "").split())
    lines = [f"/** {doc} */", f"export interface {kind.__name__} {{"]
    if kind.__struct_config__.tag:
        lines.append(f"  type: '{kind.__struct_config__.tag}';")
    omitted = kind.__struct_config__.omit_defaults
    for field in msgspec.structs.fields(kind):
        mark = "?" if omitted and not field.required else ""
        lines.append(f"  {field.encode_name}{mark}: {_type(field.type, field.encode_name)};")
    return "\n".join([*lines, "}\n"])


def _type(hint: Any, name: str) -> str:
    if hint in _PLAIN:
        return _PLAIN[hint]
    if hint is msgspec.Raw:
        return "string" if name in TEXTS else "unknown"
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin is list or (origin is tuple and args[-1] is ...):
        return f"{_type(args[0], name)}[]"
    if origin is typing.Literal:
        return " | ".join(f"'{arg}'" for arg in args)
    if origin in _UNIONS:
        return " | ".join(_type(arg, name) for arg in args)
    return str(hint.__name__) if _is_struct(hint) else "unknown"
