"""Attack: an agent writes control characters that JSON need not escape, and a person prints JSON.

U+009B means to some terminals what ESC [ does, and U+202E turns the direction of what follows.
Every command that prints JSON escapes those characters; the JSON means the same. CSV has no such
escapes: there, they are named as everywhere else.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.record.watch.writing import SESSION, Writer, append
from unbraid.cli import main
from unbraid.cli.live import FleetView
from unbraid.events import Text, encode
from unbraid.screen import HIDDEN, safe_json

POINTS = "".join(chr(code) for first, last in HIDDEN for code in range(first, last + 1))
# Files and terminals have no half characters.
CONTROLS = POINTS.encode(errors="ignore").decode()
TEXTS = ["words \u009b31m and \u0085 " + CONTROLS, "é\u00a0ü", "plain \x7f"]


def test_json_has_no_control_characters_and_means_the_same() -> None:
    for text in TEXTS:
        plain = json.dumps({"a": text}, ensure_ascii=False).encode()
        assert json.loads(safe_json(plain)) == {"a": text}
        assert not set(CONTROLS) & set(safe_json(plain).decode())


def test_commands_that_print_json(tmp_path: Path) -> None:
    writer = Writer(tmp_path / ".claude")
    said = writer.prompt(TEXTS[0]) + writer.text(TEXTS[0])
    for names in (b'"/work"', b'"claude-opus-5-5"'):
        assert names in said
        said = said.replace(names, json.dumps(TEXTS[0]).encode())
    append(writer.main, said)
    env = {"HOME": str(tmp_path), "UNBRAID_HOME": str(tmp_path / "u")}
    commands = (
        ["cat", "--json", SESSION],
        ["cat", "--relay", SESSION],
        ["ps", "--all", "--json"],
        ["search", "--json", "words"],
        ["tree", "--json", SESSION],
        ["cost", "--json"],
        ["export", SESSION],
        ["export", "--json", SESSION],
        ["export", "--html", SESSION],
        ["ps", "--all"],
        ["search", "words"],
        ["tree", SESSION],
        ["cat", SESSION],
        ["import", "--all"],
        ["cost"],
        ["cost", "--csv", "--by", "folder"],
        ["cost", "--csv", "--by", "model"],
    )
    for words in commands:
        done = CliRunner(env=env).invoke(main, words)
        assert done.exit_code == 0, (words, done.output)
        # The page's own script, at the end of HTML, knows some of these characters.
        shown = done.output.partition('<script type="module">')[0]
        assert not set(shown) & set(CONTROLS) - {"\n", "\t"}, words


def test_what_an_orchestrated_agent_says(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    said = Text(
        seq=1,
        ts=1,
        stream_id=0,
        depth=0,
        agent="a",
        delta=TEXTS[0],
        message_id="m",
        block=0,
    )
    with FleetView(as_json=True) as view:
        view.show(said, encode(said))
    (shown,) = capsysbinary.readouterr().out.decode().splitlines()
    assert json.loads(shown)["delta"] == TEXTS[0]
    assert not set(CONTROLS) & set(shown)


@pytest.mark.parametrize(
    "words",
    [("export", "/x{}"), ("prune", "--older-than", "x{}"), ("serve", "--host", "x{}"), ("nope{}",)],
)
def test_arguments_that_cannot_be_used(words: tuple[str, ...], tmp_path: Path) -> None:
    """A shell puts the names of files in their place, which agents may have chosen."""
    env = {"HOME": str(tmp_path), "UNBRAID_HOME": str(tmp_path / "u")}
    given = [word.format("\x1b]0;title\x07\u009b31m\u202e") for word in words]
    done = CliRunner(env=env).invoke(main, given)
    assert done.exit_code == 2, done.output
    assert done.output and not set(CONTROLS) & set(done.output.replace("\n", ""))
