"""Print the page's types, made from the Python ones, so that the two cannot drift apart."""

from __future__ import annotations

import msgspec
from msgspec import Struct

from unbraid import events
from unbraid.agents.registry import kinds
from unbraid.events.schema import interfaces, union
from unbraid.fold.tool_formats import ToolFormat
from unbraid.screen import HIDDEN, JOINERS, MAX_MARKS
from unbraid.serve.hub.viewer import Cut
from unbraid.serve.routes.runs import CostTable, Runs, SearchResults
from unbraid.serve.routes.steering import ControlOptions, NewAlerts
from unbraid.steer.permissions import PermissionRequest


def main() -> None:
    """Every type that crosses the wire."""
    print("// Made by web/generate.py from the Python types. Change those, then `make page`.\n")
    asides: tuple[type[Struct], ...] = (events.Gap, events.Draft, Cut)
    answers: tuple[type[Struct], ...] = (
        Runs, ControlOptions, SearchResults, PermissionRequest, NewAlerts, CostTable, ToolFormat,
    )  # fmt: skip
    print(interfaces((*events.FLEET_EVENTS, *asides, *answers)), end="")
    print(union("FleetEvent", events.FLEET_EVENTS), end="")
    print("export type Aside = Gap | Draft | Cut;\n")
    print(
        "/** A regular expression of the characters that a screen does not show as themselves. */"
    )
    print(f"export const HIDDEN_CHARACTERS =\n  {_hidden_characters()};")
    print("\n/** The tools of all kinds of agents that unbraid brings. */")
    print("// prettier-ignore\nexport const TOOLS: readonly ToolFormat[] = [")
    for each in dict.fromkeys(each for kind in kinds() for each in kind.tools()):
        print(f"  {msgspec.json.encode(each).decode()},")
    print("];")


def _hidden_characters() -> str:
    """The same table as the terminal's, as the text of a regular expression with the flag `u`."""
    ranges = "".join(f"{_point(first)}-{_point(last)}" for first, last in HIDDEN)
    joiners = "".join(map(_point, JOINERS))
    joining = f"(?<![^\\\\x00-\\\\x7f{joiners}])[{joiners}]"
    mark = "[\\\\p{Mn}\\\\p{Me}]"
    # Marks behind a joiner stand on the same letter.
    marks = f"(?:{mark}[{joiners}]?){{{MAX_MARKS}}}"
    return f"'[{ranges}]|{joining}|(?<={marks}){mark}'"


def _point(code: int) -> str:
    return f"\\\\u{{{code:x}}}"


if __name__ == "__main__":
    main()
