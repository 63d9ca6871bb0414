"""What was spent: each message once, and the same sums in every table."""

from __future__ import annotations

import csv
import json
import os
import shutil
import subprocess
import sys
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from benchmarks.index_history import make
from tests.block_rows import FOLDERS
from tests.forked import ran
from unbraid.errors import CallerError
from unbraid.fold.shares import UsageShare, settle, usage_of
from unbraid.fold.tree import Tree
from unbraid.fold.usage import Usage
from unbraid.record.sessions.costs import KEYS, SpentRun, costs, since_ms, stored_runs
from unbraid.record.sessions.sources import events_of, runs_of_sources

UNBRAID = str(Path(sys.executable).with_name("unbraid"))
COUNTS = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_creation_tokens")
WITH_PROJECTS = [folder for folder in FOLDERS if (folder / "projects").is_dir()]
SESSION = "11111111-2222-4333-8444-555555555555"
MODEL = "claude-opus-5-5"


def environment(folder: Path, **more: str) -> dict[str, str]:
    """An environment in which agents' only sessions are those of a folder."""
    return os.environ | {
        "CLAUDE_CONFIG_DIR": str(folder / "claude"),
        "HOME": str(folder),
        "XDG_DATA_HOME": str(folder / "share"),
        "UNBRAID_HOME": str(folder / "unbraid"),
        **more,
    }


def unbraid(folder: Path, *arguments: str, **more: str) -> tuple[Any, str]:
    """Runs a command; returns the JSON it prints, and its messages."""
    done = ran(*arguments, env=environment(folder, **more))
    done.check_returncode()
    return json.loads(done.stdout), done.stderr


def line(number: int, said: int, *, model: str = MODEL, session: str = SESSION, **more: Any) -> str:
    """A message in a transcript."""
    usage = {"input_tokens": 1000, "output_tokens": said, "cache_read_input_tokens": 10}
    message = {"id": f"msg_{number}", "model": model, "stop_reason": "end_turn", "usage": usage}
    about = {
        "parentUuid": None,
        "isSidechain": False,
        "type": "assistant",
        "message": message | {"content": [{"type": "text", "text": "x"}]},
        "uuid": f"{number:08}-0000-4000-8000-000000000000",
        "timestamp": f"2026-11-{number:02}T12:00:00.000Z",
        "sessionId": session,
        "cwd": "/home/dev/app",
    }
    return json.dumps(about | more, separators=(",", ":")) + "\n"


def transcript(folder: Path, text: str, session: str = SESSION, agent: str | None = None) -> Path:
    """Writes a transcript."""
    path = folder / "claude" / "projects" / "-home-dev-app" / f"{session}.jsonl"
    if agent is not None:
        path = path.with_suffix("") / "subagents" / f"agent-{agent}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def tokens_of(row: dict[str, Any]) -> list[int]:
    return [row[name] for name in COUNTS]


# --- against what is known ---


def truth(folder: Path) -> dict[str, list[int]]:
    """Every message of a made history, by its id."""
    found: dict[str, list[int]] = {}
    for path in folder.rglob("*.jsonl"):
        for text in path.read_text().splitlines():
            message = json.loads(text)["message"]
            if "usage" in message:
                used = message["usage"]
                found[message["id"]] = [
                    used["input_tokens"],
                    used["output_tokens"],
                    used["cache_read_input_tokens"],
                    used["cache_creation_input_tokens"],
                ]
    return found


def test_each_token_of_a_made_history_counts_once_however_it_is_grouped(tmp_path: Path) -> None:
    make(tmp_path / "claude", 12, 2_000_000)
    wanted = [sum(column) for column in zip(*truth(tmp_path / "claude").values(), strict=True)]
    env = environment(tmp_path)
    for _ in ("nothing known", "from the index"):
        runs = list(stored_runs(env, tmp_path / "unbraid"))
        for key in KEYS:
            found = costs(runs, key)
            assert [getattr(found.total, name) for name in COUNTS] == wanted
            sums = [sum(getattr(row, name) for row in found.rows) for name in COUNTS]
            assert sums == wanted
            assert sum(row.cost_usd or 0 for row in found.rows) == pytest.approx(
                found.total.cost_usd
            )
            assert found.total.estimated


@pytest.mark.parametrize("folder", WITH_PROJECTS[::7], ids=lambda folder: folder.name)
def test_the_list_agrees_with_the_tree_in_money_too(folder: Path, tmp_path: Path) -> None:
    env = {"CLAUDE_CONFIG_DIR": str(folder), "HOME": str(tmp_path)}
    (run,) = [run for run in stored_runs(env, None) if run.kind == "claude"]
    main = next(folder.glob(f"projects/*/{run.run}.jsonl"))
    (source,) = runs_of_sources([str(main)], {})
    total = Tree(events_of(source)).rolled_up()
    listed = usage_of(run.shares)
    assert listed.cost_usd == (None if total.cost_usd is None else pytest.approx(total.cost_usd))
    assert (listed.estimated_usd or 0) == pytest.approx(total.estimated_usd or 0)


# --- copies ---


def test_a_copy_is_not_counted_again_and_no_session_until_it_goes_on(tmp_path: Path) -> None:
    other = "22222222-2222-4333-8444-555555555555"
    mark: dict[str, Any] = {"forkedFrom": {"sessionId": SESSION, "messageUuid": "x"}}
    transcript(tmp_path, line(1, 5) + line(2, 6))
    copied = line(1, 5, session=other, **mark) + line(2, 6, session=other, **mark)
    transcript(tmp_path, copied, other)
    (run,) = unbraid(tmp_path, "ps", "--all", "--json")[0]
    assert run["run"] == SESSION
    assert unbraid(tmp_path, "cost", "--json")[0]["total"]["output_tokens"] == 11
    transcript(tmp_path, copied + line(3, 7, session=other), other)
    runs = unbraid(tmp_path, "ps", "--all", "--json")[0]
    assert {run["run"]: run["usage"]["output_tokens"] for run in runs} == {SESSION: 11, other: 7}
    assert unbraid(tmp_path, "cost", "--json")[0]["total"]["output_tokens"] == 18


def test_a_copy_without_a_mark_is_the_file_that_was_written_later(tmp_path: Path) -> None:
    other = "00000000-2222-4333-8444-555555555555"
    first = transcript(tmp_path, line(1, 5))
    os.utime(first, (1, 1))
    transcript(tmp_path, line(1, 5, session=other) + line(2, 7, session=other), other)
    rows = unbraid(tmp_path, "cost", "--by", "run", "--json")[0]["rows"]
    assert {row["key"]: row["output_tokens"] for row in rows} == {SESSION: 5, other: 7}


def test_what_was_forked_and_continued_is_the_original(tmp_path: Path) -> None:
    """It is written later than its copy, but has what the CLI noted between messages."""
    other = "22222222-2222-4333-8444-555555555555"
    note = json.dumps({"type": "last-prompt", "sessionId": SESSION}) + "\n"
    copied = line(1, 5, session=other) + line(2, 6, session=other)
    fork = transcript(tmp_path, copied + line(3, 7, session=other), other)
    os.utime(fork, (1, 1))
    transcript(tmp_path, line(1, 5) + note + line(2, 6) + line(4, 8))
    rows = unbraid(tmp_path, "cost", "--by", "run", "--json")[0]["rows"]
    assert {row["key"]: row["output_tokens"] for row in rows} == {SESSION: 19, other: 7}


def test_a_fork_is_charged_with_its_own_messages_alone(tmp_path: Path) -> None:
    """Also in the log, and though its account is about what it was forked from, too."""
    other = "22222222-2222-4333-8444-555555555555"

    def account(session: str, answers: int, output: int, cost: float) -> str:
        usage = {"inputTokens": 1000 * answers, "outputTokens": output}
        usage["cacheReadInputTokens"] = 10 * answers
        state = {"type": "cost-state", "sessionId": session, "totalCostUSD": cost}
        return json.dumps(state | {"modelUsage": {MODEL: usage}}, separators=(",", ":")) + "\n"

    first = transcript(tmp_path, line(1, 5) + account(SESSION, 1, 5, 0.5))
    os.utime(first, (1, 1))
    copied = line(1, 5, session=other) + line(2, 7, session=other)
    transcript(tmp_path, copied + account(other, 2, 12, 0.9), other)
    for _ in ("stored", "imported"):
        runs = unbraid(tmp_path, "ps", "--all", "--json")[0]
        used = {run["run"]: run["usage"] for run in runs}
        assert {run: used[run]["output_tokens"] for run in used} == {SESSION: 5, other: 7}
        assert (used[SESSION]["cost_usd"], used[other]["cost_usd"]) == (0.5, None)
        total = unbraid(tmp_path, "cost", "--json")[0]["total"]
        assert (total["output_tokens"], total["estimated"]) == (12, True)
        ran("import", "--all", env=environment(tmp_path)).check_returncode()


def test_a_sub_agent_that_was_made_a_session_is_counted_where_it_was(tmp_path: Path) -> None:
    other = "22222222-2222-4333-8444-555555555555"
    transcript(tmp_path, line(1, 5))
    transcript(tmp_path, line(2, 6, agentId="a1", isSidechain=True), agent="a1")
    mark: dict[str, Any] = {"forkedFrom": {"sessionId": SESSION, "messageUuid": "x"}}
    transcript(tmp_path, line(2, 6, session=other, **mark), other)
    (run,) = unbraid(tmp_path, "ps", "--all", "--json")[0]
    assert (run["run"], run["agents"], run["usage"]["output_tokens"]) == (SESSION, 2, 11)


# --- money ---


def test_the_sessions_own_account_covers_what_was_before_it(tmp_path: Path) -> None:
    state = {"type": "cost-state", "sessionId": SESSION, "totalCostUSD": 0.5}
    usage = {"inputTokens": 1000, "outputTokens": 5, "cacheReadInputTokens": 10}
    account = json.dumps(state | {"modelUsage": {MODEL: usage}}, separators=(",", ":")) + "\n"
    transcript(tmp_path, line(1, 5) + account)
    (row,) = unbraid(tmp_path, "cost", "--json")[0]["rows"]
    assert (row["cost_usd"], row["estimated"]) == (0.5, False)
    transcript(tmp_path, line(1, 5) + account + line(2, 6))
    first, second = unbraid(tmp_path, "cost", "--json")[0]["rows"]
    assert (first["cost_usd"], first["estimated"]) == (0.5, False)
    assert second["estimated"] and 0 < second["cost_usd"] < 0.5
    (run,) = unbraid(tmp_path, "ps", "--all", "--json")[0]
    assert run["usage"]["cost_usd"] == 0.5
    assert run["usage"]["estimated_usd"] == pytest.approx(second["cost_usd"])


def test_what_a_killed_process_has_used_stays_computed(tmp_path: Path) -> None:
    """The account of the process that resumed its session is of what that has used itself."""
    state = {"type": "cost-state", "sessionId": SESSION, "totalCostUSD": 0.5}
    usage = {"inputTokens": 1000, "outputTokens": 5, "cacheReadInputTokens": 10}
    account = json.dumps(state | {"modelUsage": {MODEL: usage}}, separators=(",", ":")) + "\n"
    transcript(tmp_path, line(1, 5))
    (alone,) = unbraid(tmp_path, "cost", "--json")[0]["rows"]
    transcript(tmp_path, line(1, 5) + line(2, 5) + account)
    total = unbraid(tmp_path, "cost", "--json")[0]["total"]
    assert total["cost_usd"] == pytest.approx(0.5 + alone["cost_usd"], rel=0.02)
    assert total["estimated"]
    (run,) = unbraid(tmp_path, "ps", "--all", "--json")[0]
    (tree, _) = unbraid(tmp_path, "tree", SESSION, "--json")
    for name in ("cost_usd", "estimated_usd"):
        assert tree["total"][name] == pytest.approx(run["usage"][name])
    assert run["usage"]["cost_usd"] == 0.5


def test_a_model_that_nobody_knows_shows_its_tokens_and_no_price(tmp_path: Path) -> None:
    transcript(tmp_path, line(1, 5) + line(2, 6, model="nobody-1"))
    table, events = unbraid(tmp_path, "cost", "--by", "model", "--json")
    known, unknown = table["rows"]
    assert (unknown["key"], unknown["output_tokens"]) == ("nobody-1", 6)
    assert (unknown["cost_usd"], unknown["estimated"]) == (None, False)
    assert table["total"]["cost_usd"] == known["cost_usd"] > 0
    assert "no price for nobody-1: its 1,016 tokens are not in the cost" in events
    own = tmp_path / "prices.json"
    own.write_text('{"nobody-1": {"input": 1000, "output": 0, "cache_read": 0}}')
    table, events = unbraid(tmp_path, "cost", "--by", "model", "--json", UNBRAID_PRICES=str(own))
    assert events == ""
    assert {row["key"]: row["cost_usd"] for row in table["rows"]}["nobody-1"] == 1.0


def test_what_cannot_be_read_is_named_and_everything_else_is_counted(tmp_path: Path) -> None:
    transcript(tmp_path, line(1, 5))
    other = "22222222-2222-4333-8444-555555555555"
    broken = '{"message":{"usage":{\n\x00\xff\n' + line(3, 8, session=other)
    transcript(tmp_path, broken, other)
    third = "33333333-2222-4333-8444-555555555555"
    locked = transcript(tmp_path, line(2, 6, session=third), third)
    prices = tmp_path / "prices.json"
    prices.write_text("{broken")
    locked.unlink()
    locked.symlink_to(locked.name)
    (tmp_path / "share" / "opencode").mkdir(parents=True)
    (tmp_path / "share" / "opencode" / "opencode.db").write_bytes(b"not a database at all")
    table, events = unbraid(tmp_path, "cost", "--json", UNBRAID_PRICES=str(prices))
    assert table["total"]["output_tokens"] == 13
    assert table["total"]["cost_usd"] > 0
    assert "the prices are not used: not JSON" in events
    assert "opencode.db" in events


@pytest.mark.skipif(sys.platform != "linux", reason="only there root can do without its rights")
def test_where_nobody_may_look_is_named_and_everything_else_is_counted(tmp_path: Path) -> None:
    transcript(tmp_path, line(1, 5))
    other = "22222222-2222-4333-8444-555555555555"
    project = tmp_path / "claude" / "projects" / "-locked"
    database = tmp_path / "share" / "opencode" / "opencode.db"
    day = tmp_path / ".codex" / "sessions" / "2026" / "11" / "16"
    for folder in (project, database.parent, day, tmp_path / "unbraid"):
        folder.mkdir(parents=True)
    database.touch()
    locked = [transcript(tmp_path, line(2, 6, session=other), other), project, database, day]
    for path in (*locked, tmp_path / "unbraid"):
        path.chmod(0)
    command = [UNBRAID, "cost", "--json"]
    if os.geteuid() == 0:
        # Who is root may look everywhere, but without these.
        command = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", *command]
    done = subprocess.run(command, env=environment(tmp_path), capture_output=True, check=True)
    assert json.loads(done.stdout)["total"]["output_tokens"] == 5
    events = done.stderr.decode().splitlines()
    for path in locked:
        assert f"unbraid: {path}: Permission denied" in events
    for name in ("prices.json: the prices cannot be read", "index.bin: ", "the log cannot be read"):
        assert any(name in text for text in events), name
    for path in (*locked, tmp_path / "unbraid"):
        path.chmod(0o700)


# --- the command ---


def test_the_json_has_the_fields_that_are_documented(tmp_path: Path) -> None:
    transcript(tmp_path, line(1, 5))
    table = unbraid(tmp_path, "cost", "--json")[0]
    assert set(table) == {"rows", "total"}
    fields = {*COUNTS, "cost_usd", "estimated"}
    assert set(table["rows"][0]) == {"key"} | fields
    assert set(table["total"]) == fields


def test_the_table_and_the_values_say_the_same(tmp_path: Path) -> None:
    transcript(tmp_path, line(1, 5) + line(2, 6, model="nobody-1"))
    env = environment(tmp_path)
    shown = ran("cost", "--by", "model", env=env).stdout
    assert "MODEL" in shown and "<$0.01" in shown and "no price" in shown
    assert shown.splitlines()[-1].split()[0] == "TOTAL"
    values = ran("cost", "--csv", env=env).stdout.splitlines()
    assert values[0] == "key," + ",".join(COUNTS) + ",cost_usd,estimated"
    assert len(values) == 3


def test_a_spreadsheet_finds_no_formula_in_what_an_agent_wrote(tmp_path: Path) -> None:
    formulas = [f"{sign}HYPERLINK(1)" for sign in "=+-@\t\n\uff1d"]
    transcript(tmp_path, "".join(line(n, 5, model=name) for n, name in enumerate(formulas)))
    values = ran("cost", "--csv", "--by", "model", env=environment(tmp_path)).stdout
    keys = [row[0] for row in csv.reader(StringIO(values))][1:]
    assert sorted(keys) == sorted(f"'{formula}" for formula in formulas)


def share(ts: int, **more: Any) -> UsageShare:
    return UsageShare(ts, "main", "m", **more)


def run_of(*shares: UsageShare) -> SpentRun:
    return SpentRun("r", "kind", None, "here", 0, list(shares))


def test_since_is_a_span_or_a_date() -> None:
    assert since_ms(None, 100) == 0
    assert since_ms("7d", 700_000) == 95_200_000
    assert since_ms(" 2H ", 7200) == 0
    assert since_ms("2026-11-01", 0) > 0
    for text in ("soon", "7", "d", "-1d", "2026-13-41", "7 d d"):
        with pytest.raises(CallerError):
            since_ms(text, 0)
    found = costs([run_of(share(0, input_tokens=1), share(10**12, input_tokens=2))], "day", since=1)
    assert found.total.input_tokens == 3  # to the quarter of an hour
    found = costs([run_of(share(0, input_tokens=1))], "day", since=10**9)
    assert found.rows == []
    with pytest.raises(CallerError):
        costs([], "moon")


def test_a_reported_total_is_divided_by_what_was_estimated() -> None:
    shares = [
        share(0, input_tokens=1, estimated_usd=3.0),
        share(0, input_tokens=9, estimated_usd=1.0),
    ]
    settled = settle(shares, Usage(input_tokens=10, cost_usd=8.0), 0)
    assert [each.cost_usd for each in settled] == [6.0, 2.0]
    assert usage_of(settled) == Usage(input_tokens=10, cost_usd=8.0)


def test_of_a_run_that_is_reported_in_part_the_rest_stays_computed() -> None:
    shares = [share(0, input_tokens=10, estimated_usd=usd) for usd in (1.0, 3.0)]
    usage = Usage(input_tokens=20, cost_usd=0.4, estimated_usd=1.2)
    settled = usage_of(settle(shares, usage, 0))
    assert settled.cost_usd == pytest.approx(0.4)
    assert settled.estimated_usd == pytest.approx(1.2)


def test_what_no_message_shows_is_a_share_of_its_own() -> None:
    settled = settle([share(0, input_tokens=4, estimated_usd=1.0)], Usage(input_tokens=10), 0)
    assert usage_of(settled) == Usage(10, 0, 0, 0, None, 1.0, 6)


@pytest.mark.parametrize("folder", FOLDERS[:1])
def test_opencodes_sessions_are_counted_too(folder: Path, tmp_path: Path) -> None:
    found = next(each for each in FOLDERS if (each / "opencode.db").is_file())
    place = tmp_path / "share" / "opencode"
    place.mkdir(parents=True)
    shutil.copy(found / "opencode.db", place / "opencode.db")
    rows = unbraid(tmp_path, "cost", "--by", "kind", "--json")[0]["rows"]
    (run,) = unbraid(tmp_path, "ps", "--all", "--json")[0]
    assert [(row["key"], tokens_of(row)) for row in rows] == [("opencode", tokens_of(run["usage"]))]
