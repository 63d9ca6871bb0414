"""Whatever fails in a plugin, and wherever: all other kinds work as without it."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.agents.faulty import PARTS, Faulty, failing, methods
from tests.agents.toy import said
from tests.record.watch.test_restart import environment
from tests.record.watch.writing import SESSION, Writer, append
from tests.test_machine import until
from unbraid import Machine, Translator
from unbraid.agents import file_watch, files, plugin, registry

# Built on what fails here: imported later, they would fail, too.
from unbraid.agents.codex import sessions as _sessions  # noqa: F401
from unbraid.agents.codex import watch as _watch  # noqa: F401
from unbraid.agents.port import SessionWatch
from unbraid.cli.checkup import checkup
from unbraid.errors import UnbraidError
from unbraid.events import TextDelta, Unrecognized
from unbraid.read.chunk import Chunk
from unbraid.record.run import DetectedSource, launchers_of
from unbraid.record.sessions.importer import complete_name
from unbraid.record.sessions.run_list import list_sessions
from unbraid.record.sessions.sources import events_of, runs_of_sources
from unbraid.record.sessions.stored_sessions import search_files
from unbraid.redact import source

FAULTS = [
    *[("kind", name) for name in ("tools", "sessions", "files", "launcher", "checkup")],
    *[(part, name) for part, made in PARTS.items() for name in methods(made)],
]
TOY = "a-toy"


@pytest.fixture(params=FAULTS, ids=".".join)
def fault(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Iterator[str]:
    """Installs a plugin in which one method fails."""
    part, method = request.param
    monkeypatch.setattr(Faulty, "fault", request.param)
    monkeypatch.setattr(Faulty, "failed", [])
    for name, module in (("watch", file_watch), ("follower", files)):
        if part == name:
            monkeypatch.setattr(module, PARTS[name].__name__, failing(PARTS[name], method))
    with installed(monkeypatch, tmp_path / "site", "faulty = tests.agents.faulty:Faulty"):
        yield method


@contextlib.contextmanager
def installed(monkeypatch: pytest.MonkeyPatch, site: Path, entry: str) -> Iterator[None]:
    """A package with this entry point is installed, as after a new start."""
    info = site / "unbraid_faulty-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: unbraid-faulty\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[{registry.GROUP}]\n{entry}\n")
    with monkeypatch.context() as patch:
        patch.syspath_prepend(site)
        forget_what_is_cached()
        yield
    forget_what_is_cached()


def forget_what_is_cached() -> None:
    ours = [module for name, module in list(sys.modules.items()) if name.startswith("unbraid.")]
    for each in {id(value): value for module in ours for value in vars(module).values()}.values():
        # Not of a class: it would be a method of its instances.
        if not isinstance(each, type) and hasattr(each, "cache_clear"):
            each.cache_clear()


async def test_nothing_else_fails(fault: str, tmp_path: Path) -> None:
    env = {**environment(tmp_path), "HOME": str(tmp_path)}
    writer = Writer(Path(env["CLAUDE_CONFIG_DIR"]))
    append(writer.main, writer.prompt("Count.") + writer.text("one"))
    toy = tmp_path / "toys" / f"{TOY}.jsonl"
    toy.parent.mkdir()
    toy.write_bytes(said("Hello."))
    await asyncio.to_thread(read_everything, env, writer.main, toy)
    assert "Claude Code" in [finding.about for finding in await checkup(env)]
    async with Machine(env=env) as machine, machine.watching():
        assert await until(machine, SESSION, "one") == ["one"]
        append(toy, said("Bye."))
        append(writer.main, writer.text("two"))
        assert await until(machine, SESSION, "two") == ["one", "two"]
    noted = registry.plugin_problems().get("faulty")
    assert bool(Faulty.failed) == (noted is not None)
    assert noted is None or noted.endswith("ZeroDivisionError: by zero")


def read_everything(env: dict[str, str], main: Path, toy: Path) -> None:
    """Lists, searches, opens and redacts the sessions of all kinds, as the commands do."""
    listed = list_sessions(env, None, warn=lambda text: None)
    assert SESSION in [run.run for run in listed]
    assert [hit.run for hit in search_files("one", env)] == [SESSION]
    assert complete_name(SESSION[:6], (), env) == SESSION
    for name in (SESSION, str(main)):
        (run,) = runs_of_sources([name], env)
        assert "one" in [getattr(event, "delta", "") for event in events_of(run)]
    assert registry.tools().summary("Bash", {"description": "List", "command": "ls"}) == "ls"
    given = Chunk("main", 0, main.read_bytes())
    assert source.SourceRedactor().accepted(given, end=True) == given.data
    piped = DetectedSource(launchers_of(env))
    piped.printed(b'{"type":"system","subtype":"init","session_id":"' + SESSION.encode() + b'"}\n')
    assert piped.session_id == SESSION
    # Whoever asks for its own sessions is told so, at worst.
    with contextlib.suppress(UnbraidError):
        for run in runs_of_sources([TOY], env) + runs_of_sources([str(toy)], env):
            list(events_of(run))


@pytest.mark.parametrize("fault", [("dialect", "translate")], indirect=True, ids=".".join)
def test_what_it_cannot_translate_is_not_lost(fault: str) -> None:
    translator = Translator()
    (event,) = translator.feed(said("Hello."))
    assert isinstance(event, Unrecognized) and b"Hello." in bytes(event.raw)
    assert translator.kind == "faulty"


def test_an_import_that_does_not_end_keeps_nobody_waiting(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "endless.py").write_text("import threading\nthreading.Event().wait(60)\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(plugin, "PLUGIN_LOAD_TIMEOUT_SECONDS", 0.1)
    with installed(monkeypatch, tmp_path / "site", "slow = endless:Endless"):
        record = (
            b'{"type":"assistant","message":{"id":"m","content":[{"type":"text","text":"Hi."}]}}'
        )
        (event,) = Translator().feed(record + b"\n")
        assert isinstance(event, TextDelta)
        assert "longer than 0.1 seconds" in registry.plugin_problems()["slow"]


def test_a_steered_session_is_always_the_same_object() -> None:
    class Watch:
        steering = object()

        def controller(self) -> object:
            return self.steering

    guarded = plugin.guarded(Watch(), SessionWatch, lambda problem: None)
    first = guarded.controller()
    assert guarded.controller() is first
