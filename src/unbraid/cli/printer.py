"""A run's events as readable lines, one gutter per agent.

Words arrive in pieces and agents talk at once, so text is printed line by line: when a line is
complete, when its agent does something else, or when another one speaks and the text came in one
piece, as whole blocks do.
"""

from __future__ import annotations

from collections.abc import Iterator

import click

from unbraid import events as e
from unbraid.screen import gist, safe, short

COLORS = ("cyan", "green", "yellow", "magenta", "blue", "red")
GUTTER = 20


class Printer:
    """Turns events into coloured lines."""

    def __init__(self) -> None:
        self._names: dict[int, str] = {}
        self._spawning: set[str] = set()  # the calls that started a stream
        self._open: dict[int, tuple[str, list[str]]] = {}  # stream: kind, pieces of its last line

    def lines(self, event: e.FleetEvent) -> Iterator[str]:
        """The lines that this event completes."""
        stream = event.stream_id
        for other in [s for s in self._open if s != stream and len(self._open[s][1]) == 1]:
            yield from self._flush(other)
        if isinstance(event, e.Text | e.Thinking):
            yield from self._words(stream, event.type, event.delta)
            return
        yield from self._flush(stream)
        match event:
            case e.StreamStart():
                self._names[stream] = event.description or event.agent
                self._spawning.add(event.tool_use_id or "")
                again = f"  (goes on from {event.resumes})" if event.resumes is not None else ""
                yield self._line(stream, click.style(f"▶ {safe(event.agent)}", bold=True) + again)
                if event.prompt:
                    yield self._line(stream, click.style(f"“{short(event.prompt)}”", dim=True))
            case e.FleetPrompt():
                yield self._line(stream, click.style(f"“{short(event.text)}”", dim=True))
            case e.FleetToolUse():
                shown = short(gist(event.input))
                yield self._line(stream, f"⚙ {click.style(safe(event.tool), bold=True)} {shown}")
            case e.FleetToolResult() if event.tool_use_id in self._spawning and event.ok:
                pass  # what a helper has answered stands in the helper's own gutter
            case e.FleetToolResult():
                mark = "→" if event.ok else click.style("✘", fg="red")
                yield self._line(stream, click.style(f"{mark} {short(event.content)}", dim=True))
            case e.FleetPermissionAsked():
                asked = f"? may it use {safe(event.tool)}"
                yield self._line(stream, click.style(asked, fg="yellow"))
            case e.FleetPermissionReplied():
                yield self._line(stream, click.style(f"? {safe(event.behavior)}", fg="yellow"))
            case e.FleetError():
                yield self._line(stream, click.style(f"✘ {short(event.message)}", fg="red"))
            case e.FleetMalformed():
                told = f"✘ unreadable at byte {event.offset}: {short(event.reason)}"
                yield self._line(stream, click.style(told, fg="red"))
            case e.FleetRetracted():
                yield self._line(stream, click.style("✘ took back its last words", fg="red"))
            case e.StreamEnd():
                mark = click.style("■", fg="green" if event.ok else "red")
                yield self._line(stream, f"{mark} {event.reason}")
            case _:
                pass

    def _words(self, stream: int, kind: str, delta: str) -> Iterator[str]:
        open_kind, pieces = self._open.get(stream, (kind, []))
        if open_kind != kind:
            yield from self._flush(stream)
            pieces = []
        *whole, rest = delta.split("\n")
        for line in whole:
            yield self._line(stream, self._style(kind, "".join([*pieces, line])))
            pieces = []
        pieces.append(rest)
        self._open[stream] = (kind, pieces)

    def _flush(self, stream: int) -> Iterator[str]:
        kind, pieces = self._open.pop(stream, ("", []))
        text = "".join(pieces)
        if text:
            yield self._line(stream, self._style(kind, text))

    def _style(self, kind: str, text: str) -> str:
        text = safe(text)
        return click.style(text, dim=True, italic=True) if kind == "thinking" else text

    def _line(self, stream: int, text: str) -> str:
        name = " ".join(safe(f"{stream} {self._names.get(stream, '')}").split())
        name = name if len(name) <= GUTTER else name[: GUTTER - 1] + "…"
        color = COLORS[stream % len(COLORS)]
        return f"{click.style(f'{name:<{GUTTER}} │', fg=color)} {text}"
