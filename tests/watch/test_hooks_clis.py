"""Hooks in the real CLIs: what HOOKS promise, in terminals and without."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from tests.launch.agents import UNBRAID, cli_of
from tests.launch.terminal import Terminal, terminal
from tests.launch.test_interactive import settle
from tests.tui.tmux import terminal as tmux
from unbraid.testing import Script, ScriptedModel, Spawn, bash, claude_launch, say
from unbraid.testing.launch import Launch, opencode_launch
from unbraid.testing.script import ScriptedToolUse

pytestmark = [
    pytest.mark.cli,
    pytest.mark.skipif(sys.platform != "linux", reason="judged by /proc"),
]
TIMEOUT_SECONDS = 60
READY = {"2.0.76": "for shortcuts", "2.1.197": "/effort", "2.1.325": "/effort"}


class Person:
    """Someone at the machine: a session in one terminal, unbraid's commands in another."""

    def __init__(self, launch: Launch, screen: Terminal) -> None:
        self.launch, self.screen = launch, screen

    async def unbraid(self, *words: str) -> tuple[int, str]:
        """One command, and what it said."""
        process = await asyncio.create_subprocess_exec(
            UNBRAID, *words, env=self.launch.env,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
        )  # fmt: skip
        out, _ = await process.communicate()
        assert process.returncode is not None
        return process.returncode, out.decode()

    async def requests(self, *, other_than: Any = None) -> list[dict[str, Any]]:
        """The requests that wait here, when there are others than one that was there before."""

        async def look() -> list[dict[str, Any]] | None:
            found: list[dict[str, Any]] = json.loads((await self.unbraid("approve", "--json"))[1])
            return found if found and found != [other_than] else None

        found: list[dict[str, Any]] = await until(look)
        return found

    async def do(self, *words: str) -> None:
        """A command that has to succeed."""
        code, said = await self.unbraid(*words)
        assert code == 0, said

    async def run(self) -> str:
        """The one run that there is."""

        async def look() -> str | None:
            rows = json.loads((await self.unbraid("ps", "--json"))[1])
            return rows[0]["run"] if rows else None

        return str(await until(look))

    async def ask(self, text: str) -> None:
        """Type a prompt."""
        self.screen.type(text)
        await self.screen.until(text)
        self.screen.type("\r")

    async def agree(self, used: Callable[[], bool], then: str) -> None:
        """Say yes in the dialog, which takes no key in its first moments, until the tool was
        used."""
        async with asyncio.timeout(TIMEOUT_SECONDS):
            while not used():
                self.screen.type("\r")
                with suppress(TimeoutError):
                    async with asyncio.timeout(1.5):
                        await self.screen.until(then)

    async def replies(self, run: str) -> list[tuple[str, str | None]]:
        """The answers in the log: what, and where it was given."""
        lines = (await self.unbraid("cat", "--json", run))[1].splitlines()
        events = [json.loads(line) for line in lines if '"permission_replied"' in line]
        return [(event["behavior"], event.get("where")) for event in events]


async def until(look: Callable[[], Awaitable[Any]]) -> Any:
    """What is found, as soon as it is."""
    async with asyncio.timeout(TIMEOUT_SECONDS):
        while (found := await look()) is None:  # noqa: ASYNC110
            await asyncio.sleep(0.05)
        return found


def hooks_running(home: Path) -> list[str]:
    """The commands of hooks that run for this home."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
        except OSError:
            continue
        if "hook.sock" in words and str(home) in words:
            found.append(words)
    return found


async def none_left(home: Path) -> bool | None:
    return True if not hooks_running(home) else None


async def listens(home: Path) -> bool | None:
    return (home / ".local/share/unbraid/hooks/hook.sock").is_socket() or None


@asynccontextmanager
async def session(
    version: str, script: Script, home: Path, *, install: bool = True
) -> AsyncIterator[Person]:
    """A session in a terminal; with the hooks installed before it starts, unless not."""
    cli = cli_of("claude", version)
    with ScriptedModel(script) as model:
        launch = claude_launch(cli, model.url, home, ["--permission-mode", "default"], asks=True)
        settle(launch, home)
        if install:
            process = await asyncio.create_subprocess_exec(
                UNBRAID, "hooks", "install", "claude", env=launch.env, stdout=-3
            )
            assert await process.wait() == 0
        async with terminal(launch.argv, launch.env, launch.cwd) as screen:
            await screen.until(READY[version])
            yield Person(launch, screen)
            screen.process.send_signal(signal.SIGTERM)
            await screen.process.wait()
    await until(lambda: none_left(home))


async def listening_watch(launch: Launch, home: Path) -> asyncio.subprocess.Process:
    """A watch that hooks can call."""
    process = await asyncio.create_subprocess_exec(
        UNBRAID, "watch", "--no-page", env=launch.env, stderr=-3
    )
    await until(lambda: listens(home))
    return process


@asynccontextmanager
async def listening(launch: Launch, home: Path) -> AsyncIterator[None]:
    """The same while the block runs."""
    process = await listening_watch(launch, home)
    try:
        yield
    finally:
        process.send_signal(signal.SIGTERM)
        assert await process.wait() == 0


@asynccontextmanager
async def answering(launch: Launch) -> AsyncIterator[asyncio.StreamReader]:
    """Someone has said that they answer; the requests that come, line by line."""
    process = await asyncio.create_subprocess_exec(
        UNBRAID, "approve", "--wait", "--json", env=launch.env,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stderr is not None
    await process.stderr.readline()  # it is known that somebody does
    async with asyncio.timeout(TIMEOUT_SECONDS):
        yield process.stdout
        process.send_signal(signal.SIGINT)
        await process.communicate()


async def test_a_session_that_runs_is_answered_and_woken(tmp_path: Path) -> None:
    question = {
        "question": "Which database?",
        "header": "Database",
        "multiSelect": False,
        "options": [{"label": name, "description": name} for name in ("SQLite", "Postgres")],
    }
    script = Script(
        {
            "main": [
                *(say(f"Ready {number}.") for number in range(4)),
                say("I would.", bash("touch one")),
                say("And.", bash("touch two")),
                say("Tell me.", ScriptedToolUse("AskUserQuestion", {"questions": [question]})),
                say("All done."),
            ]
        },
        "asks",
    )
    async with session("2.1.325", script, tmp_path, install=False) as person:
        app, screen = person.launch.cwd, person.screen
        watch = await listening_watch(person.launch, tmp_path)
        before = (tmp_path / "claude" / "settings.json").read_bytes()
        await person.do("hooks", "install", "claude")
        run = ""
        for number in range(3):  # it takes them within seconds
            await person.ask(f"[[main]] Go {number}.")
            await screen.until(f"Ready {number}.")
            run = await person.run()
            if (await person.unbraid("send", run, "Wake up."))[0] == 0:
                break
        # It stands at its prompt, and goes on by itself.
        await screen.until(f"Ready {number + 1}.")
        for left in range(number + 2, 4):
            await person.do("send", run, "And on.")
            await screen.until(f"Ready {left}.")
        await person.do("send", run, "Do it.")

        [request] = await person.requests()
        assert request["input"]["command"] == "touch one"
        assert request["also_in_terminal"]
        await screen.until("Do you want to proceed?")
        changed = json.dumps({**request["input"], "command": "echo changed > one"})
        await person.do("approve", request["request_id"], "--input", changed)
        await screen.until("And.")
        assert (app / "one").read_text() == "changed\n"

        [request] = await person.requests()
        assert request["input"]["command"] == "touch two"
        screen.drawn = b""
        await screen.until("proceed?")
        await person.agree((app / "two").exists, "Tell me.")  # the person is first
        await screen.until("Tell me.")
        assert (app / "two").exists()
        [asked] = await person.requests()
        assert asked["tool"] == "AskUserQuestion"
        assert (await person.unbraid("approve", request["request_id"]))[0] == 2, "it is over"
        await person.do("approve", asked["request_id"], "--answer", "Which database?=Postgres")
        await screen.until("All done.")
        where = "command line"
        first, second, third = await person.replies(run)
        assert (first, third) == (("allow", where), ("allow", where))
        assert second in (("answered", None), ("allow", None))
        await person.do("hooks", "uninstall")
        now = json.loads((tmp_path / "claude" / "settings.json").read_bytes())
        assert "hooks" not in now
        assert json.loads(before).items() <= now.items()
        watch.send_signal(signal.SIGTERM)
        assert await watch.wait() == 0


async def test_a_background_agent_is_held_for_who_answers_and_given_back(tmp_path: Path) -> None:
    script = Script(
        {
            "main": [
                say("Begin.", Spawn("a", background=True)),
                say("It works."),
                say("It is done.", bash("touch mine")),
                say("End."),
            ],
            "a": [say("First.", bash("touch first")), say("Second.", bash("touch second")),
                  say("Agent done.")],
        },
        "background",
    )  # fmt: skip
    async with session("2.1.325", script, tmp_path) as person:
        app, screen = person.launch.cwd, person.screen
        watch = await listening_watch(person.launch, tmp_path)
        async with answering(person.launch) as requests:
            await person.ask("[[main]] Go.")
            request = json.loads(await requests.readline())
            assert request["input"]["command"] == "touch first"
            assert not request["also_in_terminal"]
            assert request["held_until"] > request["ts"]
            assert "general-purpose agent" not in screen.words, "nothing is to be seen of it"
            await person.do("approve", request["request_id"])
            request = json.loads(await requests.readline())
            assert request["input"]["command"] == "touch second"
            assert (app / "first").exists()
            await person.do("approve", request["request_id"], "--give-back")
            await screen.until("from the general-purpose agent")
            await person.agree((app / "second").exists, "It is done.")
            await screen.until("It is done.")
            assert (app / "second").exists()
        [request] = await person.requests()
        assert request["input"]["command"] == "touch mine"
        assert (await person.replies(await person.run()))[0] == ("allow", "command line")
        watch.kill()
        await watch.wait()
        # Whoever held it is gone; the dialog is there, and nothing hangs.
        await until(lambda: none_left(tmp_path))
        await person.agree((app / "mine").exists, "End.")
        await screen.until("End.")
        assert (app / "mine").exists()


@pytest.mark.parametrize("version", ["2.1.197", "2.0.76"])
async def test_older_versions(tmp_path: Path, version: str) -> None:
    script = Script(
        {
            "main": [
                say("A.", bash("touch one")),
                say("B.", bash("touch two")),
                say("Turn over."),
                say("Woken."),
            ]
        },
        "older",
    )
    async with session(version, script, tmp_path) as person:
        app, screen = person.launch.cwd, person.screen
        async with listening(person.launch, tmp_path):
            await person.ask("[[main]] Go.")
            [request] = await person.requests()
            await person.do("approve", request["request_id"])
            await screen.until("B.")
            assert (app / "one").exists()
            [request] = await person.requests()
            await person.do("deny", request["request_id"], "--message", "Not that one.")
            await screen.until("Turn over.")
            assert not (app / "two").exists()
            run = await person.run()
            assert await person.replies(run) == [
                ("allow", "command line"),
                ("deny", "command line"),
            ]
            if version == "2.1.197":
                await person.do("send", run, "Wake up.")
                await screen.until("Woken.")
        assert "hook error" not in screen.words


@pytest.mark.parametrize("version", ["2.1.325", "2.0.76"])
async def test_without_a_terminal(tmp_path: Path, version: str) -> None:
    script = Script({"main": [say("May I?", bash("touch one")), say("Over.")]}, "print")
    cli = cli_of("claude", version)

    async def printed(model: ScriptedModel) -> tuple[str, str]:
        args = ["--permission-mode", "default", "-p", "[[main]] Go."]
        launch = claude_launch(cli, model.url, tmp_path, args, asks=True)
        process = await asyncio.create_subprocess_exec(
            *launch.argv, env=launch.env, cwd=launch.cwd, stdin=-3,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        async with asyncio.timeout(TIMEOUT_SECONDS):
            out, err = await process.communicate()
        return out.decode(), err.decode()

    with ScriptedModel(script) as model:
        launch = claude_launch(cli, model.url, tmp_path)
        settle(launch, tmp_path)
        person = Person(launch, None)  # type: ignore[arg-type]
        await person.do("hooks", "install", "claude")
        assert await printed(model) == ("Over.\n", ""), "nobody listens: it is denied as ever"
        assert not (launch.cwd / "one").exists()
        if version == "2.0.76":
            return  # it asks no hook here
    with ScriptedModel(script) as model:
        async with listening(launch, tmp_path), answering(launch) as requests:
            running = asyncio.create_task(printed(model))
            request = json.loads(await requests.readline())
            await person.do("approve", request["request_id"])
            assert await running == ("Over.\n", "")
            assert (launch.cwd / "one").exists()
    assert hooks_running(tmp_path) == []


async def test_a_session_of_opencode_by_its_plugin(tmp_path: Path) -> None:
    script = Script(
        {
            "main": [
                say("Alpha.", bash("touch one")),
                say("Beta.", bash("touch two")),
                say("Gamma.", bash("touch three")),
                say("Finished."),
                say("Woken."),
                say("word " * 400, chunk_delay_seconds=0.1),
                say("Never said."),
            ]
        },
        "plugin",
    )
    cli = cli_of("opencode", "1.18.33")
    with ScriptedModel(script) as model:
        args = ["--model", "scripted/one"]
        launch = opencode_launch(cli, model.url, tmp_path, args, asks=True)
        person = Person(launch, None)  # type: ignore[arg-type]
        await person.do("hooks", "install", "opencode")
        async with (
            listening(launch, tmp_path),
            tmux(launch.argv, launch.env, launch.cwd, (120, 40)) as screen,
        ):
            await screen.until("Ask anything")
            await screen.write("[[main]] Go.")
            await screen.until("[[main]] Go.")
            await screen.type("Enter")
            [request] = await person.requests()
            assert (request["tool"], request["input"]) == ("bash", {"command": "touch one"})
            await person.do("approve", request["request_id"])
            await screen.until("touch two")
            assert (launch.cwd / "one").exists()
            [request] = await person.requests(other_than=request)
            await screen.until("Permission required")
            await screen.type("Enter")  # the person is first
            await screen.until("touch three")
            [request] = await person.requests(other_than=request)
            await person.do("deny", request["request_id"])
            run = await person.run()

            async def three() -> list[tuple[str, str | None]] | None:
                found = await person.replies(run)
                return found if len(found) == 3 else None

            replies = await until(three)
            assert replies == [("allow", "command line"), ("allow", None), ("deny", "command line")]
            assert not (launch.cwd / "three").exists()
            await person.do("send", run, "Go on, please.")
            await screen.until("Finished.")
            await person.do("send", run, "And write.")
            await screen.until("Woken.")
            await person.do("send", run, "Much.")
            await screen.until("word word word")
            await person.do("interrupt", run)
            await screen.until("interrupted")
            assert "Never said." not in await screen.screen()
            lines = (await person.unbraid("cat", "--json", run))[1]
            prompts = [json.loads(line) for line in lines.splitlines() if '"type":"prompt"' in line]
            assert [each["text"] for each in prompts][1:] == [
                "Go on, please.", "And write.", "Much.",
            ]  # fmt: skip
        await person.do("hooks", "uninstall")
    assert not list((tmp_path / ".config" / "opencode").glob("plugin*"))
