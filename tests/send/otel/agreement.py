"""Whether the spans of a run say what `unbraid tree --json` says."""

from __future__ import annotations

import json
from typing import Any

from click.testing import CliRunner

from tests.send.otel.receiver import ReceivedSpan
from unbraid.cli import main

COUNTS = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_creation_tokens")
DOLLARS = ("cost_usd", "estimated_usd")
TOLERANCE = 1e-12


def tree_of(run: str) -> dict[str, Any]:
    """The tree of a run, by the command."""
    result = CliRunner().invoke(main, ["tree", "--json", run], catch_exceptions=False)
    assert result.exit_code == 0
    tree: dict[str, Any] = json.loads(result.stdout)
    return tree


def check_agreement(tree: dict[str, Any], spans: list[ReceivedSpan]) -> int:
    """Fails unless the spans are this tree: parents, times, tokens, dollars, tool calls. Returns
    how deep it is.
    """
    by_id = {span.span_id: span for span in spans}
    assert len(by_id) == len(spans)
    assert len({span.trace_id for span in spans}) == 1
    agents = {span.stream_id: span for span in spans if span.is_a("invoke_agent")}
    seen: set[int] = set()

    def above(span: ReceivedSpan) -> int | None:
        parent = by_id.get(span.parent_id)
        while parent is not None and not parent.is_a("invoke_agent"):
            # Only a call stands between two agents.
            assert parent.is_a("execute_tool")
            parent = by_id.get(parent.parent_id)
        return None if parent is None else parent.stream_id

    def check(node: dict[str, Any], parent: int | None) -> int:
        number = node["stream_id"]
        seen.add(number)
        span = agents[number]
        assert above(span) == parent
        assert (span.start_ms, span.end_ms) == (node["started"], node["ended"])
        assert span.attributes["gen_ai.agent.name"] == node["agent"]
        assert span.attributes["unbraid.status"] == node["status"]
        assert span.attributes["unbraid.depth"] == node["depth"]
        assert span.attributes.get("gen_ai.request.model") == node["model"]
        used(span, node["usage"], "unbraid.usage")
        own = [each for each in spans if each.stream_id == number]
        chats = [each.attributes for each in own if each.is_a("chat")]
        summed(chats, node["usage"])
        tools = [each for each in own if each.is_a("execute_tool")]
        assert len(tools) == node["tool_uses"]
        assert len([each for each in tools if each.failed]) == node["failed_tools"]
        for each in own:
            assert span.start_ms <= each.start_ms <= each.end_ms
        below = [check(child, number) for child in node["children"]]
        return max([int(node["depth"]), *below])

    def used(span: ReceivedSpan, usage: dict[str, Any], prefix: str) -> None:
        for name in COUNTS:
            assert span.attributes[f"{prefix}.{name}"] == usage[name]
        for name in DOLLARS:
            assert span.attributes.get(f"{prefix}.{name}") == usage[name]

    def summed(chats: list[dict[str, Any]], usage: dict[str, Any]) -> None:
        """The spans of messages, added up."""
        read = sum(each.get("gen_ai.usage.cache_read.input_tokens", 0) for each in chats)
        written = sum(each.get("gen_ai.usage.cache_creation.input_tokens", 0) for each in chats)
        whole = sum(each.get("gen_ai.usage.input_tokens", 0) for each in chats)
        output = sum(each.get("gen_ai.usage.output_tokens", 0) for each in chats)
        assert (whole - read - written, output, read, written) == tuple(usage[n] for n in COUNTS)
        spent = sum(each.get("gen_ai.usage.cost", 0.0) for each in chats)
        known = (usage["cost_usd"] or 0.0) + (usage["estimated_usd"] or 0.0)
        assert abs(spent - known) < TOLERANCE

    depth = check(tree, None)
    assert seen == set(agents)
    used(agents[0], tree["total"], "unbraid.total")
    return depth
