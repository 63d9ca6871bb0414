"""Hooks in real sessions of Claude Code in a terminal: answered, sent messages, stopped."""

from __future__ import annotations

import json
from pathlib import Path

from tests.polling import until
from tests.record.run.agents import UNBRAID
from tests.record.watch.hooked_clis import (
    HOOKED_CLI,
    Person,
    answering,
    listening,
    make_wait,
    none_left,
    page_link,
    session,
    waits,
)
from tests.tui.tmux import terminal as tmux
from tests.web.browser import started
from unbraid.testing import Script, Spawn, bash, say
from unbraid.testing.script import ScriptedToolUse

pytestmark = HOOKED_CLI
HERE = "command line"


async def test_a_session_that_runs_is_answered_and_woken(tmp_path: Path) -> None:
    question = {
        "question": "For a=b: which database?",
        "header": "Database",
        "multiSelect": False,
        "options": [{"label": name, "description": name} for name in ("SQLite", "pg=16")],
    }
    script = Script(
        {
            "main": [
                *(say(f"Ready {number}.") for number in range(4)),
                say("I would.", bash("touch one")),
                say("And.", bash("touch two")),
                say("Turn over."),
                say("Tell me.", ScriptedToolUse("AskUserQuestion", {"questions": [question]})),
                say("Well.", bash("npm run one")),
                say("Again.", bash("npm run two")),
                say("Plan.", ScriptedToolUse("EnterPlanMode", {})),
                say("Ready.", ScriptedToolUse("ExitPlanMode", {"plan": "1. Do it."})),
                say("All done."),
            ]
        },
        "asks",
    )
    async with (
        session("2.1.325", script, tmp_path, install=False) as person,
        listening(person.launch, tmp_path),
    ):
        app, screen = person.launch.cwd, person.screen
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

        request = await person.request()
        assert request["input"]["command"] == "touch one"
        assert request["also_in_terminal"]
        await screen.until("Do you want to proceed?")
        changed = json.dumps({**request["input"], "command": "echo changed > one"})
        await person.do("approve", request["request_id"], "--input", changed)
        await screen.until("And.")
        assert (app / "one").read_text() == "changed\n"

        request = await person.request()
        assert request["input"]["command"] == "touch two"
        await person.agree((app / "two").exists)  # the person is first
        await screen.until("Turn over.")
        assert await person.pending() == []
        assert (await person.unbraid("approve", request["request_id"]))[0] == 2, "it is over"
        await person.do("send", run, "Ask me.")
        request = await person.request()
        assert request["tool"] == "AskUserQuestion"
        answer = ("--answer", "For a=b: which database?", "pg=16")
        await person.do("approve", request["request_id"], *answer)
        request = await person.request()
        assert request["input"]["command"] == "npm run one"
        assert request["always"] == ["always allow Bash(npm run *) (localSettings)"]
        await person.do("approve", request["request_id"], "--always", "1")
        request = await person.request()  # the same again was not asked
        assert request["tool"] == "ExitPlanMode"
        assert "Again." in person.texts
        await person.do("approve", request["request_id"])
        await screen.until("All done.")
        assert "User has approved" in json.dumps(person.model.requests[-1])
        first, second, *others = await person.replies(run, 5)
        assert (first, *others) == (("allow", HERE),) * 4
        assert second in (("answered", None), ("allow", None))
        await person.all_is_logged(run)
        await person.do("hooks", "uninstall")
        now = json.loads((tmp_path / "claude" / "settings.json").read_bytes())
        assert "hooks" not in now
        assert json.loads(before).items() <= now.items()


async def said(person: Person, text: str) -> bool | None:
    return text in person.texts or None


async def are_answered(person: Person, run: str, number: int) -> bool | None:
    return (await person.replies(run, 0)).count(("allow", HERE)) == number or None


async def test_background_agents_are_held_given_back_messaged_and_stopped(tmp_path: Path) -> None:
    script = Script(
        {
            "main": [
                say("Begin.", Spawn("a", background=True), Spawn("b", background=True)),
                say("They work."),
                say("One has ended."),
                say("Both have."),
                say("Step one.", waits("step")),
                say("Step two.", waits("step")),
                say("One more.", bash("touch mine")),
                say("End."),
            ],
            "a": [
                say("First.", bash("touch first")), say("Second.", bash("touch second")),
                say("Third.", waits("third")), say("Fourth.", waits("fourth")),
                say("Never.", waits("never")), say("Nor this."),
            ],
            "b": [say("Fifth.", waits("fifth")), say("Sixth.", waits("never")), say("Nor this.")],
        },
        "background",
    )  # fmt: skip
    allowed = ("--allowedTools", "Bash(./wait.sh:*)")
    async with (
        session("2.1.325", script, tmp_path, args=allowed) as person,
        listening(person.launch, tmp_path) as watch,
    ):
        app, screen = person.launch.cwd, person.screen
        make_wait(app)
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
            await person.agree((app / "second").exists)
        run = await person.run()
        await person.exists("began-third", "began-fifth")
        streams = await person.streams(run)
        await person.do("send", f"{run}/{streams['a']}", "Only for one of you.")
        (app / "third").touch()
        await person.exists("began-fourth")
        assert person.sent("Only for one of you.") == ["a"]
        await person.do("stop", f"{run}/{streams['a']}")
        (app / "fourth").touch()
        await screen.until("One has ended.")
        await person.do("stop", run)
        (app / "fifth").touch()
        await screen.until("Both have.")
        assert not (app / "began-never").exists()

        # All of its budget is spent with the next message: it ends when its tool call does.
        person.budget(f"tokens = {await person.spent() + 100}")
        await person.do("send", run, "Spend.")
        note = await person.stopped_at_budget(run)
        (app / "step").touch()
        await screen.until("hook stopped continuation")
        assert "Step one." in person.texts
        assert "Step two." not in person.texts
        assert note.startswith("interrupted: ")
        assert note.endswith(f"To continue: unbraid attach {run} --resume")

        await person.do("send", run, "Go on.")
        request = await person.request()
        assert request["input"]["command"] == "touch mine"
        assert (await person.replies(run, 2))[0] == ("allow", HERE)
        await person.all_is_logged(run)
        assert "Stophookerror" not in screen.words
        watch.kill()
        await watch.wait()
        # Whoever held it is gone; the dialog is there, and nothing hangs.
        await until(lambda: none_left(tmp_path))
        await person.agree((app / "mine").exists)
        await screen.until("End.")


async def test_the_oldest_version(tmp_path: Path) -> None:
    script = Script(
        {
            "main": [
                say("A.", bash("touch one")),
                say("B.", bash("touch two")),
                say("C.", Spawn("near", background=False)),
                say("D.", Spawn("far", background=True)),
                say("Over."),
                say("It has ended."),
            ],
            "near": [say("Near.", bash("touch three")), say("Near is done.")],
            "far": [say("Far.", bash("touch four")), say("Far is done.")],
        },
        "oldest",
    )
    async with (
        session("2.0.76", script, tmp_path) as person,
        listening(person.launch, tmp_path),
    ):
        app, screen = person.launch.cwd, person.screen
        await person.ask("[[main]] Go.")
        request = await person.request()
        await person.do("approve", request["request_id"])
        await screen.until("B.")
        assert (app / "one").exists()
        request = await person.request()
        await person.do("deny", request["request_id"], "--message", "Not that one.")
        # Its hooks do not say which agent asks: the dialog of this one is up, too.
        request = await person.request(after=request)
        assert request["input"]["command"] == "touch three"
        assert request["also_in_terminal"]
        await person.do("approve", request["request_id"])
        await screen.until("Over.")
        assert not (app / "two").exists()
        assert (app / "three").exists()
        assert person.sent("Not that one.") == ["main"], "the model knows why"
        run, three = await person.run(), [("allow", HERE), ("deny", HERE), ("allow", HERE)]
        assert await person.replies(run, 3) == three
        # Of one in the background nobody is asked: it is denied.
        await until(lambda: said(person, "Far is done."))
        assert not (app / "four").exists()
        assert await person.pending() == []
        assert await person.replies(run, 3) == three
        assert "Stophookerror" not in screen.words


async def test_answers_from_the_terminal_view_and_from_the_page(tmp_path: Path) -> None:
    script = Script(
        {
            "main": [
                say("A.", bash("touch one")),
                say("B.", bash("touch two")),
                say("Over."),
                say("Woken.", Spawn("near", background=False), Spawn("far", background=True)),
                say("Helped."),
                say("Helped again."),
            ],
            "near": [say("Near.", bash("touch near")), say("Near is done.")],
            "far": [say("Far.", bash("touch far")), say("Far is done.")],
        },
        "faces",
    )
    async with (
        session("2.1.197", script, tmp_path) as person,
        listening(person.launch, tmp_path, ["--port", "0"]),
    ):
        app, screen, env = person.launch.cwd, person.screen, person.launch.env
        await person.ask("[[main]] Go.")
        await person.request()
        async with tmux([UNBRAID, "top"], env, app, (120, 40)) as top:
            await top.until("p answers: Bash touch one")
            await top.type("p")
            await top.until(lambda shown: "in its terminal" in shown and "not ready" not in shown)
            await top.type("a")
            await screen.until("B.")
        assert (app / "one").exists()
        run = await person.run()
        link = str(await until(lambda: page_link(tmp_path)))
        async with started() as browser:
            tab = await browser.new_page()
            await tab.goto(link)
            await tab.goto(f"{link.partition('/login')[0]}/#/run/{run}")
            card = tab.get_by_role("region", name="main wants to use Bash")
            await card.get_by_role("button", name="Deny").click()
            await screen.until("Over.")
        assert not (app / "two").exists()
        assert await person.replies(run, 2) == [("allow", "top"), ("deny", "page")]
        async with answering(person.launch) as requests:
            await person.do("send", run, "Wake up.")
            await screen.until("Woken.")
            for _ in range(2):
                request = json.loads(await requests.readline())
                await person.do("approve", request["request_id"])
            await person.exists("near", "far")
        await until(lambda: are_answered(person, run, 2))
        assert "Stophookerror" not in screen.words
