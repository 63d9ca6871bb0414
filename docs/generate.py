"""Write the reference pages, and the table of agent kinds, from the code.

`make fix` runs this; a test holds the pages to it.
"""

from __future__ import annotations

import re
import typing
from pathlib import Path

import click
import msgspec

from unbraid import events
from unbraid.agents.port import AgentKind, Launcher
from unbraid.agents.registry import kinds
from unbraid.cli import EXIT_CODES, INTERRUPTED, main
from unbraid.events import schema

HERE = Path(__file__).parent
KINDS = re.compile(r"(<!-- kinds -->\n).*(<!-- /kinds -->\n)", re.DOTALL)
NO, YES = "no", "yes"
HEAD = "<!-- Written by docs/generate.py from the code. Change the code, then `make fix`. -->\n\n"


def pages() -> dict[str, str]:
    """Every page that is generated, or has a generated part, by its path below this folder."""
    return {
        "reference/events.md": _events(),
        "reference/commands.md": _commands(),
        "reference/exit-codes.md": _exit_codes(),
        "how-to/agents.md": _with_kinds("how-to/agents.md"),
        "../src/unbraid/events/events.schema.json": _json_schema(),
        "../src/unbraid/events/events.d.ts": schema.typescript(),
    }


def _json_schema() -> str:
    return msgspec.json.format(msgspec.json.encode(schema.json_schema()), indent=2).decode() + "\n"


def _events() -> str:
    text = HEAD + "# Events\n\n## Fleet events\n\n"
    text += (
        "One JSON object each. Every one has `type`, `seq`, `ts` (milliseconds since 1970; 0 if\n"
    )
    text += (
        "no source gave a time), `stream_id`, `depth` and `agent`. Fields at their default are\n"
    )
    text += "left out. In Python they are classes of `unbraid.events`.\n\n"
    common = {field.name for field in msgspec.structs.fields(events.FleetEvent)}
    text += "".join(_event(kind, common) for kind in events.FLEET_EVENTS)
    text += (
        "## Relay events\n\nWhat `Translator` gives. Every one has `type`, `context` (empty for\n"
    )
    text += "the main agent) and `ts`.\n\n"
    common = {field.name for field in msgspec.structs.fields(events.RelayEvent)}
    return text + "".join(_event(kind, common) for kind in events.RELAY_EVENTS)


def _event(kind: type[msgspec.Struct], common: set[str]) -> str:
    fields = [field for field in msgspec.structs.fields(kind) if field.name not in common]
    text = f"### `{kind.__struct_config__.tag}`\n\n{(kind.__doc__ or '').strip()}\n\n"
    text += f"In Python: `{kind.__name__}`\n\n"
    for field in fields:
        text += f"- `{field.encode_name}`: {_type(field.type)}\n"
    return text + ("\n" if fields else "")


def _type(hint: object) -> str:
    if hint is msgspec.Raw:
        return "JSON"
    if isinstance(hint, type):
        return {"NoneType": "null"}.get(hint.__name__, hint.__name__)
    args = typing.get_args(hint)
    if typing.get_origin(hint) is list:
        return f"list of {_type(args[0])}"
    if args:
        return " or ".join(_type(arg) for arg in args)
    return "anything"


def _commands() -> str:
    text = HEAD + "# Commands\n"
    context = click.Context(main, info_name="unbraid", **main.context_settings)
    for name in ["", *main.list_commands(context)]:
        command = main.get_command(context, name) if name else main
        assert command is not None
        inner = click.Context(command, info_name=name, parent=context if name else None)
        inner = inner if name else context
        title = f"unbraid {name}".strip()
        text += f"\n## `{title}`\n\n```text\n{command.get_help(inner)}\n```\n"
    return text


MEANINGS = {
    0: "Success.",
    1: "Something else went wrong; the message says what.",
    2: "Wrong usage: an unknown option, a value that is not allowed, a run that does not exist.",
    3: "A source could not be read: a file that is missing, unreadable or of no known format.",
    4: "The log could not be used: it is locked, damaged, of a newer version, or the disk is full.",
    130: "Stopped with Ctrl-C.",
}


def _exit_codes() -> str:
    assert {0, 1, *EXIT_CODES.values(), INTERRUPTED} == MEANINGS.keys()
    text = HEAD + "# Exit codes\n\n"
    text += (
        "The commands that start an agent (`run`, `attach --resume`) end with the agent's own.\n\n"
    )
    text += "| code | meaning |\n|---|---|\n"
    return text + "".join(f"| {code} | {meaning} |\n" for code, meaning in MEANINGS.items())


def _with_kinds(name: str) -> str:
    """The page with the table of what each kind offers."""
    columns = {each.title: _offers(each) for each in kinds()}
    parts = list(next(iter(columns.values())))
    lines = [f"| | {' | '.join(columns)} |", "|---" * (len(columns) + 1) + "|"]
    lines += [
        f"| {part} | {' | '.join(offers[part] for offers in columns.values())} |" for part in parts
    ]
    table = "\n".join(lines) + "\n"
    text, count = KINDS.subn(lambda found: found[1] + table + found[2], (HERE / name).read_text())
    assert count == 1, f"{name} has no place for the table"
    return text


def _offers(kind: AgentKind) -> dict[str, str]:
    """The parts of a kind, in words."""
    env = {"HOME": str(HERE / "no-home")}
    store, launcher = kind.sessions(env), kind.launcher(env)
    steered = []
    if launcher is not None and type(launcher).controller is not Launcher.controller:
        steered.append("what `unbraid run --steer` starts")
    if kind.hooks(env) is not None:
        steered.append("sessions with [hooks](hooks.md)")
    if "--opencode" in kind.steered_command:
        steered.append("sessions of its server (`unbraid watch --opencode URL`)")
    resumes = launcher is not None and type(launcher).resume is not Launcher.resume
    own_checkup = type(kind).checkup is not AgentKind.checkup
    return {
        "dialect: `cat`, `tree`, `pipe`": YES,
        "stored sessions: `ps`, `search`": _word(store),
        "watching: `unbraid`, `watch`, `top`": _word(store),
        "starting: `run`": f"`{kind.program}`" if launcher is not None else NO,
        "steering: `send`, `interrupt`, `stop`, `approve`, `deny`": ", ".join(steered) or NO,
        "resuming: `attach --resume`": YES if resumes else NO,
        "orchestrating: `ask`": _word(kind.backend(env, HERE)),
        "`doctor`": YES if own_checkup else NO,
    }


def _word(part: object) -> str:
    return NO if part is None else YES


if __name__ == "__main__":
    for name, text in pages().items():
        (HERE / name).write_text(text)
