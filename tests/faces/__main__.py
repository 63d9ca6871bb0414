"""Judges recordings by every face: `python -m tests.faces FOLDER…`."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.faces.agreement import agrees
from tests.faces.growth import grows
from tests.faces.stored import home_of


def main() -> None:
    """Prints what disagrees, and how many recordings were judged."""
    judged = wrong = 0
    for folder in sorted(path.parent for top in sys.argv[1:] for path in _truths(Path(top))):
        with tempfile.TemporaryDirectory() as place:
            env = home_of(folder, Path(place))
            if env is None:
                continue
            judged += 1
            try:
                agrees(env, folder)
                grows(folder, Path(place) / "growth", seed=judged)
            except AssertionError as problem:
                wrong += 1
                print(f"{folder.name}: {problem}".split("\n")[0])
    print(f"{judged} recordings, {wrong} with faces that disagree")
    sys.exit(bool(wrong or not judged))


def _truths(top: Path) -> list[Path]:
    return [path for name in ("truth", "said") for path in top.rglob(f"{name}.json")]


if __name__ == "__main__":
    main()
