"""A kind of agents from another package: the one that docs/how-to/agents.md shows, installed.

Everything about it is taken from that page, so that the page cannot lie.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tomllib
import zipfile
from asyncio.subprocess import Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from unbraid.events import Text, decode_event
from unbraid.log import opened_log

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "how-to" / "agents.md").read_text(encoding="utf-8")
CLAUDE = ROOT / "tests" / "recordings" / "nested.plain-fwd.2.1.325" / "stdout.ndjson"
SESSION = "a-session"
MISSING = "import a_module_that_is_not_there\n"
UNBRAID = (sys.executable, "-m", "unbraid")
# Says what it is given, word for word, and stores it at once.
PARROT = """\
import json, pathlib, sys, time

name = sys.argv[sys.argv.index("--session") + 1]
path = pathlib.Path.home() / ".parrot" / "sessions" / f"{name}.jsonl"
count = 0


def write(kind, words):
    global count
    count += 1
    record = {"type": kind, "id": f"p{count}", "at": int(time.time() * 1000), "words": words}
    with path.open("a") as file:
        file.write(json.dumps(record) + "\\n")
    print(words, flush=True)


write("parrot.says", "Hello.")
for line in sys.stdin if "--listen" in sys.argv else ():
    write("parrot.says", line.rstrip())
    if line == "Bye.\\n":
        break
write("parrot.bye", "")
"""


def shown(language: str, holding: str) -> str:
    """The one block of the page, in a language, that holds a text."""
    blocks = re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    (block,) = [each for each in blocks if holding in each]
    return str(block)


MODULE = (
    shown("python", "class Parrot(AgentKind)").replace(
        "from typing import ClassVar\n",
        "from typing import ClassVar\nfrom unbraid_parrot_launcher import ParrotLauncher\n",
    )
    + "\n"
    + shown("py", "def launcher")
)
LAUNCHER = shown("python", "class ParrotLauncher")
PROJECT = tomllib.loads(shown("toml", "[project.entry-points"))
RECORDING = shown("text", "parrot.says")
ITS_TEST = shown("py", "def test_")


class Home(NamedTuple):
    """A home folder, in whose environment the plugins in `site` are installed."""

    folder: Path
    site: Path

    @property
    def env(self) -> dict[str, str]:
        """Nothing of whoever runs the tests."""
        passed = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        return passed | {
            "HOME": str(self.folder),
            "UNBRAID_HOME": str(self.folder / "unbraid"),
            "PYTHONPATH": str(self.site),
        }

    @property
    def session(self) -> Path:
        """The file of its session."""
        return self.folder / ".parrot" / "sessions" / f"{SESSION}.jsonl"

    def unbraid(self, *words: str) -> str:
        """Run a command that has to work, and to warn of nothing."""
        done = self.done(*words)
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
        return done.stdout

    def done(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run a command."""
        command = [*UNBRAID, *words]
        return subprocess.run(command, env=self.env, capture_output=True, text=True, timeout=60)


def wheel_of(folder: Path, project: dict[str, Any], module: str, **others: str) -> Path:
    """Build a wheel of a module, and others beside it."""
    name = str(project["name"]).replace("-", "_")
    files = {f"{name}.py": module} | {f"{name}_{each}.py": text for each, text in others.items()}
    info = f"{name}-{project['version']}.dist-info"
    files[f"{info}/METADATA"] = (
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
        + "".join(f"Requires-Dist: {each}\n" for each in project["dependencies"])
    )
    files[f"{info}/WHEEL"] = "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    files[f"{info}/entry_points.txt"] = "".join(
        f"[{group}]\n" + "".join(f"{key} = {value}\n" for key, value in entries.items())
        for group, entries in project["entry-points"].items()
    )
    files[f"{info}/RECORD"] = (
        "".join(
            f"{path},sha256={digest(text)},{len(text.encode())}\n" for path, text in files.items()
        )
        + f"{info}/RECORD,,\n"
    )
    wheel = folder / f"{name}-{project['version']}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
    return wheel


def install(site: Path, *wheels: Path) -> None:
    """Installs them beside each other."""
    options = ["--no-deps", "--no-index", "--no-cache", "--target", str(site), "--quiet"]
    done = subprocess.run(
        [sys.executable, "-m", "uv", "pip", "install", *options, *map(str, wheels)],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


def digest(text: str) -> str:
    found = hashlib.sha256(text.encode()).digest()
    return base64.urlsafe_b64encode(found).rstrip(b"=").decode()


def broken(folder: Path, name: str = "broken", module: str = MISSING) -> Path:
    """Another package's, which by default stands on something that is not there."""
    project = {
        "name": f"unbraid-{name}",
        "version": "1.0",
        "dependencies": ["unbraid"],
        "entry-points": {"unbraid.agents": {name: f"unbraid_{name}:Broken"}},
    }
    return wheel_of(folder, project, module)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the page's plugin is installed, and nothing else."""
    folder = tmp_path_factory.mktemp("plugin")
    install(folder / "site", wheel_of(folder, PROJECT["project"], MODULE, launcher=LAUNCHER))
    return folder / "site"


@pytest.fixture
def home(tmp_path: Path, installed: Path) -> Home:
    made = Home(tmp_path / "home", installed)
    made.session.parent.mkdir(parents=True)
    return made


def beside(home: Home, *wheels: Path) -> Home:
    """The same home with these plugins beside the page's."""
    site = home.folder / "site"
    shutil.copytree(home.site, site)
    install(site, *wheels)
    return home._replace(site=site)


BROKEN = """
from pathlib import Path

from unbraid.agents.port import AgentKind


class Silent:
    ts = 0
    outcome = None

    def decode(self, line):
        {decode}

    def translate(self, record, out):
        pass

    def finish(self, out):
        pass


class Broken(AgentKind):
    name = {name!r}
    title = "Broken"

    def dialect(self):
        return Silent()

    def sessions(self, env):
        {sessions}
"""
FINE = {"name": "broken", "decode": "return None", "sessions": "return None"}


def test_its_files_and_sessions_are_read_like_those_of_any_kind(home: Home, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    copy.write_text(RECORDING)
    home.session.write_text(RECORDING)
    assert "Hello." in home.unbraid("cat", str(copy))
    events = [json.loads(line) for line in home.unbraid("cat", "--json", SESSION).splitlines()]
    assert [event["delta"] for event in events if event["type"] == "text"] == ["Hello."]
    assert (events[0]["source"], events[-1]["type"], events[-1]["ok"]) == ("parrot", "done", True)
    (run,) = json.loads(home.unbraid("ps", "--all", "--json"))
    assert (run["run"], run["source"]) == (SESSION, "parrot")
    assert SESSION in home.unbraid("search", "hello")
    assert {each["about"] for each in json.loads(home.unbraid("doctor", "--json"))} >= {"log"}


async def test_a_session_is_watched_as_it_grows(home: Home) -> None:
    says, bye = RECORDING.splitlines(keepends=True)
    more = says.replace("p1", "p3").replace("Hello.", "Still here.") + bye
    home.session.write_text(says)
    async with watching(home) as watch, opened_log(env=home.env) as log:
        said: list[str] = []
        async for entries in log.follow(SESSION):
            events = [decode_event(entry.data) for entry in entries]
            said += [event.delta for event in events if isinstance(event, Text)]
            if said == ["Hello."] and more:
                with home.session.open("a") as file:
                    file.write(more)
                more = ""
            if "Still here." in said:
                break
    assert said == ["Hello.", "Still here."]
    assert watch.stderr is not None
    assert watch.returncode == 0
    assert b"1 session" in await watch.stderr.read()


async def test_it_is_started_and_steered_and_its_session_is_one_run(home: Home) -> None:
    program = home.folder / "parrot"
    program.write_text(f"#!{sys.executable}\n{PARROT}")
    program.chmod(0o700)
    run = await asyncio.create_subprocess_exec(
        *(*UNBRAID, "run", "--steer", "--", str(program)),
        env=home.env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        assert run.stdout is not None and run.stderr is not None
        assert await run.stdout.readline() == b"Hello.\n"
        (session,) = (path.stem for path in home.session.parent.iterdir())
        async with opened_log(env=home.env) as log:
            async for _ in log.follow(session):
                break
        await asyncio.to_thread(home.unbraid, "send", session, "Bye.")
        assert await run.stdout.read() == b"Bye.\n\n"
        assert (await run.wait(), await run.stderr.read()) == (0, b"")
    finally:
        if run.returncode is None:
            run.kill()
            await run.wait()
    (listed,) = json.loads(home.unbraid("ps", "--all", "--json"))
    assert (listed["run"], listed["source"], listed["status"]) == (session, "parrot", "done")
    events = map(json.loads, home.unbraid("cat", "--json", session).splitlines())
    assert [each["delta"] for each in events if each["type"] == "text"] == ["Hello.", "Bye."]


@asynccontextmanager
async def watching(home: Home) -> AsyncIterator[Process]:
    """A real `unbraid watch`, stopped at the end as by Ctrl-C."""
    watch = await asyncio.create_subprocess_exec(
        *(*UNBRAID, "watch", "--no-page"),
        env=home.env,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    try:
        yield watch
    finally:
        watch.send_signal(signal.SIGTERM)
        await watch.wait()


def test_the_test_that_the_page_shows_passes(home: Home, tmp_path: Path) -> None:
    (tmp_path / "test_parrot.py").write_text(ITS_TEST)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_parrot.py"]
    done = subprocess.run(command, cwd=tmp_path, env=home.env, capture_output=True, text=True)
    assert done.returncode == 0 and "1 passed" in done.stdout, done.stdout


async def test_a_plugin_that_cannot_be_loaded_breaks_nothing_else(
    home: Home, tmp_path: Path
) -> None:
    home = beside(home, broken(tmp_path))
    why = "unbraid_broken:Broken: ModuleNotFoundError: No module named 'a_module_that_is_not_there'"
    home.session.write_text(RECORDING)
    # Whoever looks at other kinds is not bothered with it …
    assert home.unbraid("cat", str(CLAUDE))
    assert "Hello." in home.unbraid("cat", SESSION)
    assert [run["source"] for run in json.loads(home.unbraid("ps", "--all", "--json"))] == [
        "parrot"
    ]
    # … and whoever misses something finds out why.
    findings = {each["about"]: each for each in json.loads(home.unbraid("doctor", "--json"))}
    assert findings["plugin broken"]["status"] == "warning"
    assert findings["plugin broken"]["found"] == f"cannot be used: {why}"
    unknown = tmp_path / "unknown"
    unknown.write_text('{"type":"broken.says"}\n')
    done = home.done("cat", str(unknown))
    assert done.returncode != 0
    assert f"the plugin broken cannot be used: {why}" in done.stderr
    async with watching(home) as watch:
        assert watch.stderr is not None
        line = await watch.stderr.readline()
    assert line.startswith(b"unbraid: the plugin broken cannot be used: ")
    assert watch.returncode == 0


FAULTS = {
    "name": ({"name": "claude"}, "a kind named claude already exists"),
    "decode": ({"decode": "return line.nothing"}, "has no attribute 'nothing'"),
    "search": (
        {"name": "search", "sessions": "return Path(env['HOME']).nothing"},
        "has no attribute 'nothing'",
    ),
}


def test_plugins_that_fail_when_they_are_asked_break_nothing_else(
    home: Home, tmp_path: Path
) -> None:
    wheels = [
        broken(tmp_path, name, BROKEN.format(**(FINE | fault)))
        for name, (fault, _) in FAULTS.items()
    ]
    home = beside(home, *wheels)
    home.session.write_text(RECORDING)
    assert "Hello." in home.unbraid("cat", SESSION)
    assert home.unbraid("cat", str(CLAUDE))
    assert len(json.loads(home.unbraid("ps", "--all", "--json"))) == 1
    findings = {each["about"]: each for each in json.loads(home.unbraid("doctor", "--json"))}
    for name, (_, why) in FAULTS.items():
        assert why in findings[f"plugin {name}"]["found"]
