"""Print the page's types, made from the Python ones, so that the two cannot drift apart."""

from __future__ import annotations

import types
import typing

import msgspec

from unbraid import events
from unbraid.agents.control_port import PermissionRequest
from unbraid.hub.frames import Cut
from unbraid.log.port import Found
from unbraid.screen import HIDDEN, JOINERS
from unbraid.serve.routes.control import Control
from unbraid.serve.routes.runs import Runs

PLAIN = {int: "number", float: "number", str: "string", bool: "boolean", type(None): "null"}
# Both travel as the bytes that came; what they hold is known all the same.
RAW = {"content": "string"}


def main() -> None:
    """Every type that crosses the wire."""
    print("// Made by web/generate.py from the Python types. Change those, then `make page`.\n")
    asides = [events.Gap, events.Draft, Cut]
    answers = [Runs, Control, Found, PermissionRequest]
    for kind in _with_parts([*events.FLEET_EVENTS, *asides, *answers]):
        print(_interface(kind))
    names = "\n".join(f"  | {kind.__name__}" for kind in events.FLEET_EVENTS)
    print(f"export type FleetEvent =\n{names};\n")
    print("export type Aside = Gap | Draft | Cut;\n")
    print(
        "/** A regular expression of the characters that a screen does not show as themselves. */"
    )
    print(f"export const HIDDEN_CHARACTERS =\n  {_hidden_characters()};")


def _hidden_characters() -> str:
    """The same table as the terminal's, as the text of a regular expression with the flag `u`."""
    ranges = "".join(f"{_point(first)}-{_point(last)}" for first, last in HIDDEN)
    joiners = "".join(map(_point, JOINERS))
    return f"'[{ranges}]|(?<![^\\\\x00-\\\\x7f{joiners}])[{joiners}]'"


def _point(code: int) -> str:
    return f"\\\\u{{{code:x}}}"


def _with_parts(kinds: list[type[msgspec.Struct]]) -> list[type[msgspec.Struct]]:
    found = list(kinds)
    for kind in found:
        for field in msgspec.structs.fields(kind):
            parts = [field.type, *typing.get_args(field.type)]
            found += [part for part in parts if _is_struct(part) and part not in found]
    return found


def _is_struct(hint: typing.Any) -> bool:
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


def _type(hint: typing.Any, name: str) -> str:
    if hint in PLAIN:
        return PLAIN[hint]
    if hint is msgspec.Raw:
        return RAW.get(name, "unknown")
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin is list:
        return f"{_type(args[0], name)}[]"
    if origin in (typing.Union, types.UnionType):
        return " | ".join(_type(arg, name) for arg in args)
    if _is_struct(hint):
        return str(hint.__name__)
    return "unknown"


if __name__ == "__main__":
    main()
