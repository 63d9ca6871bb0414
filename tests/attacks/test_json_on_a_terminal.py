"""Attack: an agent writes control characters that JSON need not escape, and a person prints JSON.

U+009B means to some terminals what ESC [ does. Every command that prints JSON escapes those
characters; the JSON means the same.
"""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner

from tests.watch.writing import SESSION, Writer, append
from unbraid.cli import main
from unbraid.screen import safe_json

CONTROLS = "".join(map(chr, [*range(0x20), *range(0x7F, 0xA0)]))
TEXTS = ["words \u009b31m and \u0085 " + CONTROLS, "é\u00a0ü"]


def test_json_has_no_control_characters_and_means_the_same() -> None:
    for text in TEXTS:
        plain = json.dumps({"a": text}, ensure_ascii=False).encode()
        assert json.loads(safe_json(plain)) == {"a": text}
        assert not any(control in safe_json(plain).decode() for control in CONTROLS)


def test_commands_that_print_json(tmp_path: Path) -> None:
    writer = Writer(tmp_path / ".claude")
    append(writer.main, writer.prompt(TEXTS[0]) + writer.text(TEXTS[0]))
    env = {"HOME": str(tmp_path), "UNBRAID_HOME": str(tmp_path / "u")}
    commands = (
        ["cat", "--json", SESSION],
        ["cat", "--relay", SESSION],
        ["ps", "--all", "--json"],
        ["search", "--json", "words"],
        ["tree", "--json", SESSION],
        ["cost", "--json"],
        ["ps", "--all"],
        ["search", "words"],
        ["tree", SESSION],
        ["cat", SESSION],
        ["import", "--all"],
        ["cost"],
    )
    for words in commands:
        done = CliRunner(env=env).invoke(main, words)
        assert done.exit_code == 0, (words, done.output)
        shown = done.output.replace("\n", "").replace("\t", "")
        assert not [char for char in shown if char in CONTROLS], words
