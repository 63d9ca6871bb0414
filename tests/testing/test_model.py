"""The scripted model by plain HTTP: it streams its script, and its truth is what it said."""

from __future__ import annotations

import asyncio
import json
import threading
import time
import urllib.request
from typing import Any

import pytest

from unbraid.testing import (
    HttpError,
    Script,
    ScriptedCut,
    ScriptedModel,
    ScriptedThinking,
    ScriptedUsage,
    Spawn,
    StreamError,
    Workflow,
    bash,
    loopback,
    say,
    scenarios,
)

Json = dict[str, Any]

CLAUDE_TOOLS = [{"name": "Task", "input_schema": {}}, {"name": "Bash", "input_schema": {}}]
OPENCODE_TOOLS = [
    {"type": "function", "function": {"name": name, "parameters": {}}} for name in ("task", "bash")
]


def asks(text: str = "[[main]] Go.", *more: Json, **fields: Any) -> Json:
    """A request whose conversation opens with that text."""
    messages = [{"role": "user", "content": text}, *more]
    return {"model": "m", "messages": messages, "tools": CLAUDE_TOOLS, **fields}


async def events(url: str, body: Json) -> list[Any]:
    """The data of an answer's server-sent events."""
    data = b""
    async for status, chunk in loopback.stream("POST", url, {**body, "stream": True}):
        assert status == 200
        data += chunk
    lines = [line for line in data.split(b"\n") if line.startswith(b"data: ")]
    return [json.loads(line[6:]) for line in lines if line != b"data: [DONE]"]


def joined(streamed: list[Any]) -> list[Json]:
    """The blocks of Anthropic's events."""
    blocks: list[Json] = []
    for event in streamed:
        match event:
            case {"type": "content_block_start", "index": index, "content_block": block}:
                assert index == len(blocks)
                blocks.append({**block, "input": ""} if block["type"] == "tool_use" else block)
            case {"type": "content_block_delta", "index": index, "delta": delta}:
                pieces = {key: value for key, value in delta.items() if key != "type"}
                for key, value in pieces.items():
                    blocks[index]["input" if key == "partial_json" else key] += value
            case {"type": "content_block_stop", "index": index}:
                if blocks[index]["type"] == "tool_use":
                    blocks[index]["input"] = json.loads(blocks[index]["input"])
    return blocks


def as_truth(block: Json) -> Json:
    """A block of the wire as the truth has it."""
    if block["type"] == "thinking":
        return {"type": "thinking", "text": block["thinking"]}
    return block


def said(model: ScriptedModel) -> list[Json]:
    """The truth's blocks, their content alone."""
    left_out = ("agent", "turn", "index", "message_id", "t", "child")
    return [
        {key: value for key, value in block.items() if key not in left_out}
        for block in model.truth["blocks"]
    ]


@pytest.mark.parametrize("name", [n for n in scenarios.NAMES if not n.startswith("api-")])
async def test_streamed_blocks_are_the_scripts(name: str) -> None:
    script = scenarios.scenario(name)
    if name == "interrupt":
        script = Script({"main": script.agents["main"][1:]})
    async with ScriptedModel(script) as model:
        streamed = await events(f"{model.url}/v1/messages", asks())
        assert [as_truth(block) for block in joined(streamed)] == said(model)
        assert streamed[0]["message"]["id"] == model.truth["blocks"][0]["message_id"]
        assert len(model.truth["blocks"]) == len(script.agents["main"][0].blocks)


@pytest.mark.parametrize("chunk_chars", [1, 7, 10_000])
async def test_any_chunk_size_gives_the_same_text(chunk_chars: int) -> None:
    turn = say(
        ScriptedThinking("naïve 🧑‍🚀"), "a \u2028 b", bash("echo é"), chunk_chars=chunk_chars
    )
    async with ScriptedModel(Script({"main": [turn]})) as model:
        blocks = joined(await events(f"{model.url}/v1/messages", asks()))
    assert blocks[0]["thinking"] == "naïve 🧑‍🚀"
    assert blocks[1]["text"] == "a \u2028 b"
    assert blocks[2]["input"]["command"] == "echo é"


async def test_whole_answer_has_blocks_usage_and_stop_reason() -> None:
    usage = ScriptedUsage(
        input_tokens=7, output_tokens=9, cache_read_tokens=1, cache_creation_tokens=2
    )
    turn = say(ScriptedThinking("hm"), "hello", bash("true"), usage=usage)
    async with ScriptedModel(Script({"main": [turn]})) as model:
        message = (await loopback.fetch("POST", f"{model.url}/v1/messages", asks())).json()
        assert [as_truth(b) | {} for b in message["content"]][1:] == said(model)[1:]
    assert message["stop_reason"] == "tool_use"
    assert message["usage"] == {
        "input_tokens": 7,
        "output_tokens": 9,
        "cache_read_input_tokens": 1,
        "cache_creation_input_tokens": 2,
    }


async def test_openai_dialect_streams_reasoning_text_and_calls() -> None:
    script = Script({"main": [say(ScriptedThinking("hm"), "one ", "two", bash("a"), bash("b"))]})
    async with ScriptedModel(script) as model:
        body = asks(tools=OPENCODE_TOOLS)
        streamed = await events(f"{model.url}/v1/chat/completions", body)
        whole = (await loopback.fetch("POST", f"{model.url}/v1/chat/completions", body)).json()
        truth = said(model)
    deltas = [c["delta"] for event in streamed for c in event["choices"]]
    assert "".join(d.get("reasoning_content", "") for d in deltas) == "hm"
    assert "".join(d.get("content", "") for d in deltas) == "one two"
    calls: dict[int, Json] = {}
    for call in [call for d in deltas for call in d.get("tool_calls", [])]:
        known = calls.setdefault(call["index"], {"id": call.get("id"), "arguments": ""})
        known["arguments"] += call["function"]["arguments"]
    message = whole["choices"][0]["message"]
    assert [json.loads(call["arguments"])["command"] for call in calls.values()] == ["a", "b"]
    assert message["reasoning_content"] == "hm" and message["content"] == "one two"
    assert [c["function"]["name"] for c in message["tool_calls"]] == ["bash", "bash"]
    assert streamed[-1]["usage"] == whole["usage"]
    # The second request was the same conversation: its serving replaces the first.
    assert [block["id"] for block in truth[3:]] == [c["id"] for c in message["tool_calls"]]


async def test_http_error_comes_as_often_as_scripted() -> None:
    turn = say("At last.", failure=HttpError(529, times=2))
    async with ScriptedModel(Script({"main": [turn]})) as model:
        url = f"{model.url}/v1/messages"
        answers = [await loopback.fetch("POST", url, asks()) for _ in range(3)]
        assert [answer.status for answer in answers] == [529, 529, 200]
        assert answers[0].json()["error"]["type"] == "overloaded_error"
        assert said(model) == [{"type": "text", "text": "At last."}]
        assert model.truth["blocks"][0]["turn"] == 0


async def test_cut_connection_then_the_turn_again_is_said_once() -> None:
    turn = say("Broken off.", bash("true"), chunk_chars=3, failure=ScriptedCut(after_chunks=4))
    async with ScriptedModel(Script({"main": [turn]})) as model:
        with pytest.raises(loopback.Hangup):
            await events(f"{model.url}/v1/messages", asks())
        assert [block["cut"] for block in model.truth["blocks"]] == [True, True]
        message = (await loopback.fetch("POST", f"{model.url}/v1/messages", asks())).json()
        blocks = model.truth["blocks"]
    assert [block["message_id"] for block in blocks] == [message["id"]] * 2
    assert not any("cut" in block for block in blocks)


async def test_error_in_the_middle_of_a_stream() -> None:
    turn = say("Broken off.", chunk_chars=3, failure=StreamError(after_chunks=3))
    async with ScriptedModel(Script({"main": [turn]})) as model:
        streamed = await events(f"{model.url}/v1/messages", asks())
        again = await events(f"{model.url}/v1/messages", asks())
    assert streamed[-1]["type"] == "error" and len(streamed) == 4
    assert again[-1]["type"] == "message_stop"


async def test_turns_follow_the_conversation() -> None:
    script = Script({"main": [say("one"), say("two"), say("three")]})
    answer = {"role": "assistant", "content": [{"type": "text", "text": "one"}]}
    reminder = {"type": "text", "text": "<system-reminder>x</system-reminder>"}
    async with ScriptedModel(script) as model:

        async def heard(*messages: Json) -> str:
            answer = await loopback.fetch(
                "POST", f"{model.url}/v1/messages", asks(messages=messages)
            )
            text: str = answer.json()["content"][0]["text"]
            return text

        opening = {"role": "user", "content": [{"type": "text", "text": "[[main]] Go."}]}
        reminded = {"role": "user", "content": [reminder, *opening["content"]]}
        more = {"role": "user", "content": "more"}
        assert await heard(opening) == "one"
        assert await heard(reminded) == "one"
        # Interrupted: the half-said answer is gone, the next prompt is there.
        assert await heard(opening, more) == "two"
        assert (
            await heard(opening, more, answer, {"role": "user", "content": [reminder]}) == "three"
        )
        assert "nothing more" in await heard(opening, answer, more, answer, more, answer, more)


async def test_titles_and_strangers_are_not_part_of_the_truth() -> None:
    async with ScriptedModel(scenarios.scenario("single")) as model:
        url = f"{model.url}/v1/messages"
        title = await loopback.fetch("POST", url, asks(tools=[]))
        warmup = await loopback.fetch("POST", url, asks("Warmup"))
        count = await loopback.fetch("POST", f"{url}/count_tokens", asks())
        assert model.truth == {"parents": {}, "blocks": []}
    assert title.json()["content"][0]["text"] == "A short title"
    assert warmup.json()["content"][0]["text"] == "ok"
    assert count.json()["input_tokens"] > 0


async def test_without_tools_the_script_answers_when_asked_to() -> None:
    model = ScriptedModel(Script({"main": [say("Here.")]}), answers_without_tools=True)
    async with model:
        answer = await loopback.fetch("POST", f"{model.url}/v1/messages", asks(tools=[]))
    assert answer.json()["content"][0]["text"] == "Here."


async def test_parents_are_known_by_the_calls_that_spawned_them() -> None:
    turn = say("Go.", Spawn("a"), Workflow("…", ("b", "c")))
    async with ScriptedModel(Script({"main": [turn], "a": [say("a")]})) as model:
        await loopback.fetch("POST", f"{model.url}/v1/messages", asks())
        framed = "[harness] The task follows:\n  [[a]] Do your part."
        await loopback.fetch("POST", f"{model.url}/v1/messages", asks(framed))
        truth = model.truth
    spawn, workflow = (block["id"] for block in truth["blocks"][1:3])
    assert truth["parents"] == {
        "a": {"parent": "main", "tool_use_id": spawn},
        "b": {"parent": "main", "tool_use_id": workflow},
        "c": {"parent": "main", "tool_use_id": workflow},
    }
    assert (truth["blocks"][3]["agent"], truth["blocks"][3]["text"]) == ("a", "a")


def test_a_thread_of_its_own() -> None:
    with ScriptedModel(scenarios.scenario("quoted-text")) as model:
        request = urllib.request.Request(f"{model.url}/v1/messages", json.dumps(asks()).encode())
        with urllib.request.urlopen(request) as response:
            message = json.load(response)
        assert message["content"][0]["text"] == said(model)[0]["text"]


async def test_a_turn_is_awaited_from_another_loop() -> None:
    with ScriptedModel(Script({"main": [say("Here.", delay_seconds=0.2)]})) as model:
        body = json.dumps(asks(stream=True)).encode()
        request = urllib.request.Request(f"{model.url}/v1/messages", body)
        # Asked from a thread: nothing but the model may wake this loop.
        asking = threading.Thread(target=lambda: urllib.request.urlopen(request).read())
        asking.start()
        began = time.monotonic()
        async with asyncio.timeout(60):
            await model.reached("main", 0)
        # The end of that time would have woken it, too.
        assert time.monotonic() - began < 50
        asking.join()


async def test_bad_requests_are_refused() -> None:
    async with ScriptedModel(scenarios.scenario("single")) as model:
        assert (await loopback.fetch("GET", f"{model.url}/v1/messages")).status == 404
        assert (await loopback.fetch("POST", f"{model.url}/elsewhere", {})).status == 404
