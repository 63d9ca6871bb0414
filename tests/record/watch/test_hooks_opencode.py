"""The plugin in a real session of OpenCode in a terminal."""

from __future__ import annotations

import json
from pathlib import Path

from tests.polling import until
from tests.record.run.agents import cli_of
from tests.record.watch.hooked_clis import HOOKED_CLI, Person, listening, make_wait, waits
from tests.tui.tmux import terminal as tmux
from unbraid.testing import Script, ScriptedModel, bash, say
from unbraid.testing.launch import opencode_launch

pytestmark = HOOKED_CLI


async def is_waiting(person: Person) -> bool | None:
    (row,) = json.loads((await person.unbraid("ps", "--json"))[1])
    return row["status"] == "waiting" or None


async def is_sent(person: Person, run: str, text: str) -> bool | None:
    return (await person.unbraid("send", run, text))[0] == 0 or None


async def test_a_session_of_opencode_by_its_plugin(tmp_path: Path) -> None:
    script = Script(
        {
            "main": [
                say("Alpha.", bash("touch one")),
                say("Beta.", bash("touch two")),
                say("Gamma.", bash("touch three")),
                say("Delta.", waits("go")),
                say("Epsilon.", waits("go")),
                say("Finished."),
                say("word " * 400, chunk_delay_seconds=0.1),
                say("Back again."),
                say("Step one.", waits("go")),
                say("Step two.", waits("never")),
                say("Step three.", waits("never")),
            ]
        },
        "plugin",
    )
    cli = cli_of("opencode", "1.18.33")
    with ScriptedModel(script) as model:
        args = ["--model", "scripted/one"]
        launch = opencode_launch(cli, model.url, tmp_path, args, asks=True)
        person = Person(launch, None, model)
        await person.do("hooks", "install", "opencode")
        async with tmux(launch.argv, launch.env, launch.cwd, (120, 40)) as screen:
            async with listening(launch, tmp_path):
                await screen.until("Ask anything")
                make_wait(launch.cwd)
                (launch.cwd / "go").touch()
                await screen.write("[[main]] Go.")
                await screen.until("[[main]] Go.")
                await screen.type("Enter")
                request = await person.request()
                assert request["tool"] == "bash"
                # With the input of the call, which the plugin has seen before.
                wanted = {"command": "touch one", "patterns": ["touch one"]}
                assert request["input"].items() >= wanted.items()
                assert "description" in request["input"]
                await person.do("approve", request["request_id"])
                await screen.until("touch two")
                assert (launch.cwd / "one").exists()
                request = await person.request(after=request)
                await screen.until("Permission required")
                await screen.type("Enter")  # the person is first
                await screen.until("touch three")
                request = await person.request(after=request)
                await person.do("deny", request["request_id"])
                run = await person.run()

                replies = await person.replies(run, 3)
                assert replies == [
                    ("allow", "command line"),
                    ("allow", None),
                    ("deny", "command line"),
                ]
                assert not (launch.cwd / "three").exists()
                await person.do("send", run, "Go on, please.")
                request = await person.request(after=request)
                assert request["always"] == ["./wait.sh *"]
                await person.do("approve", request["request_id"], "--always", "1")
                await screen.until("Finished.")  # the same again was not asked
                await person.do("send", run, "Much.")
                await screen.until("word word word")
                await person.do("interrupt", run)
                await screen.until("interrupted")

            # Another finds the session at its prompt.
            async with listening(launch, tmp_path):
                await until(lambda: is_sent(person, run, "Back?"))
                await screen.until("Back again.")

                # All of its budget is spent with the next message; that is known at its end.
                person.budget(f"tokens = {await person.spent() + 100}")
                await person.do("send", run, "Spend.")
                note = await person.stopped_at_budget(run)
                assert note.startswith("interrupted: ")
                assert note.endswith(f"To continue: unbraid attach {run} --resume")
                await until(lambda: is_waiting(person))
                assert "Step three." not in person.texts
                prompts = [each["text"] for each in await person.events(run, "prompt")]
                assert prompts[1:] == ["Go on, please.", "Much.", "Back?", "Spend."]
                logged = [each["delta"] for each in await person.events(run, "text")]
                for text in person.texts:
                    assert text in logged or text.startswith("word")
        await person.do("hooks", "uninstall")
    assert not list((tmp_path / ".config" / "opencode").glob("plugin*"))
