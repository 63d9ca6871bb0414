"""Hooks in real runs of `claude -p`, which have no terminal to ask in."""

from __future__ import annotations

import asyncio
import json
import shlex
from pathlib import Path

import pytest

from tests.record.run.agents import cli_of
from tests.record.run.test_interactive import settle
from tests.record.watch.hooked_clis import (
    HOOKED_CLI,
    TIMEOUT_SECONDS,
    Person,
    answering,
    hooks_running,
    listening,
)
from unbraid.agents.port import FOLDER, ORDERS_NAME
from unbraid.testing import Script, ScriptedModel, Spawn, bash, claude_launch, say

pytestmark = HOOKED_CLI
FILES = ("one", "near", "far")


@pytest.mark.parametrize("version", ["2.1.325", "2.1.197", "2.0.76"])
async def test_without_a_terminal(tmp_path: Path, version: str) -> None:
    # When one ends in the background, 2.0.76 may end with an error of its own.
    helpers = Spawn("near", background=False), Spawn("far", background=version != "2.0.76")
    script = Script(
        {
            "main": [
                say("May I?", bash("touch one")),
                say("And they?", *helpers),
                say("Over."),
                say("Over."),
            ],
            "near": [say("Near.", bash("touch near")), say("Near is done.")],
            "far": [say("Far.", bash("touch far")), say("Far is done.")],
        },
        "print",
    )
    cli = cli_of("claude", version)

    async def printed(model: ScriptedModel, *, asks: bool = True) -> tuple[str, str]:
        args = ["-p", "[[main]] Go.", *(["--permission-mode", "default"] if asks else [])]
        launch = claude_launch(cli, model.url, tmp_path, args, asks=asks)
        process = await asyncio.create_subprocess_exec(
            *launch.argv, env=launch.env, cwd=launch.cwd, stdin=-3,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        async with asyncio.timeout(TIMEOUT_SECONDS):
            out, err = await process.communicate()
        # Newer ones print the answer of each turn, and the end of one in the background is a turn.
        return " ".join(sorted(set(out.decode().split()))), err.decode()

    with ScriptedModel(script) as model:
        launch = claude_launch(cli, model.url, tmp_path)
        settle(launch, tmp_path)
        person = Person(launch, None, model)
        await person.do("hooks", "install", "claude")
        assert await printed(model) == ("Over.", ""), "nobody listens: it is denied as ever"
        assert not any((launch.cwd / name).exists() for name in FILES)
    # It asks for nothing, and is stopped at its budget all the same. The first call takes until the
    # stop is there to be taken, so that not the speed of this machine is tried. It fails, and no
    # hook is asked after it: so the stop is there before the next one.
    stop = shlex.quote(str(tmp_path / ".local/share/unbraid" / FOLDER / ORDERS_NAME))
    first = say("Step 0.", bash(f"until [ -e {stop} ]; do sleep 0.1; done; false"))
    steps = [first, *(say(f"Step {number}.", bash(f"touch {number}")) for number in range(1, 9))]
    with ScriptedModel(Script({"main": [*steps, say("Over.")]}, "endless")) as model:
        async with listening(launch, tmp_path):
            person.budget("tokens = 2000")
            assert (await printed(model, asks=False))[1] == ""
        said = [each["text"] for each in model.truth["blocks"] if each["type"] == "text"]
        assert said == ["Step 0.", "Step 1."]
        # Only a current one ends its turn before the tool is used.
        assert (launch.cwd / "1").exists() == (version != "2.1.325")
        assert "interrupted: " in (tmp_path / "watch.out").read_text()
        (tmp_path / ".local/share/unbraid/alerts.toml").unlink()
        if version == "2.0.76":
            return  # it asks no hook here
    if version == "2.1.197":
        # Only of one in the background a hook is asked; it is waited for.
        with ScriptedModel(script) as model:
            async with listening(launch, tmp_path), answering(launch) as requests:
                running = asyncio.create_task(printed(model))
                request = json.loads(await requests.readline())
                assert request["input"]["command"] == "touch far"
                await person.do("approve", request["request_id"])
                assert await running == ("Over.", "")
                assert [(launch.cwd / name).exists() for name in FILES] == [False, False, True]
        return
    # As a plugin, which Claude Code itself copies and enables.
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "claude").symlink_to(cli.command[0])
    launch.env["PATH"] = f"{tmp_path / 'bin'}:{launch.env['PATH']}"
    await person.do("hooks", "install", "claude", "--plugin")
    settings = json.loads((tmp_path / "claude" / "settings.json").read_text())
    assert (settings["enabledPlugins"], settings.get("hooks")) == ({"unbraid@unbraid": True}, None)
    assert "installed as a plugin" in (await person.unbraid("hooks", "status", "claude"))[1]
    with ScriptedModel(script) as model:
        async with listening(launch, tmp_path), answering(launch) as requests:
            running = asyncio.create_task(printed(model))
            for _ in FILES:
                request = json.loads(await requests.readline())
                assert not request["also_in_terminal"]
                await person.do("approve", request["request_id"])
            assert await running == ("Over.", "")
            assert all((launch.cwd / name).exists() for name in FILES)
    assert hooks_running(tmp_path) == []
    await person.do("hooks", "uninstall", "claude")
    settings = json.loads((tmp_path / "claude" / "settings.json").read_text())
    assert not settings.get("enabledPlugins")
    assert not settings.get("extraKnownMarketplaces")
    assert sorted(path.name for path in (tmp_path / ".local/share/unbraid/hooks").iterdir()) == [
        "backups", "lock",
    ]  # fmt: skip
