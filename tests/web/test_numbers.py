"""One number means one thing: own and total are the same on the page, in `tree`, in `ps`, in `top`
and in the API.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from playwright.async_api import Page, expect

from tests.block_rows import RECORDINGS
from tests.record.run.agents import UNBRAID
from tests.web.site import Site
from tests.web.stories import fan
from tests.web.views import RunView
from unbraid.fold.tree import spent
from unbraid.fold.usage import Usage
from unbraid.screen import cost, duration, token_count
from unbraid.tui.run_tree import RunTree

PAGE_ROWS = """rows => rows.map(row => [
  Number(row.dataset.stream),
  ...['.own .tokens', '.own .cost', '.total .tokens', '.total .cost'].map(
    (place) => row.querySelector(place).textContent.trim()),
])"""


async def printed(home: Path, *args: str) -> Any:
    """What a command prints as JSON."""
    env = {**os.environ, "HOME": str(home)}
    child = await asyncio.create_subprocess_exec(
        *(UNBRAID, *args), env=env, stdout=asyncio.subprocess.PIPE
    )
    out, _ = await child.communicate()
    assert child.returncode == 0
    return json.loads(out)


def nodes(root: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """An agent of `tree --json` and everyone below it."""
    yield root
    for child in root["children"]:
        yield from nodes(child)


def shown(usage: dict[str, Any]) -> list[str]:
    """Tokens and money as people read them."""
    found = Usage(**usage)
    return [token_count(found.total_tokens) if found.total_tokens else "", cost(found)]


def rounded(usage: dict[str, Any]) -> dict[str, Any]:
    """The same but for the order in which its dollars were added up."""
    return {name: value and round(value, 9) for name, value in usage.items()}


async def test_every_number_is_the_same_everywhere(site: Site, tab: Page, tmp_path: Path) -> None:
    await site.append("fan", fan().events)
    await site.feed("nested", RECORDINGS / "nested.plain-fwd.2.1.325")
    await same_everywhere(site, tab, tmp_path, "fan", "nested")


async def same_everywhere(site: Site, tab: Page, home: Path, *runs: str) -> None:
    """Compares every number of runs wherever it is shown."""
    listed = {each["run"]: each for each in await printed(home, "ps", "--all", "--json")}
    await tab.set_viewport_size({"width": 1600, "height": 1400})
    for run in runs:
        await _same_everywhere(
            site, tab, run, listed[run], await printed(home, "tree", "--json", run)
        )


async def _same_everywhere(
    site: Site, tab: Page, run: str, listed: dict[str, Any], root: dict[str, Any]
) -> None:
    tree = {node["stream_id"]: node for node in nodes(root)}
    own = {number: shown(node["usage"]) for number, node in tree.items()}
    total = {number: shown(node["total"]) for number, node in tree.items()}
    assert len(tree) == listed["agents"]
    assert len(tree) < 3 or any(own[number] != total[number] for number in tree)

    # The API.
    request = tab.context.request
    summary = await (await request.get(f"/v1/runs/{run}")).json()
    sums = [rounded(usage) for usage in (summary["usage"], listed["usage"], root["total"])]
    assert sums[0] == sums[1] == sums[2]
    assert (await (await request.get(f"/v1/runs/{run}/tree")).json())["root"] == root
    used = (await (await request.get(f"/v1/runs/{run}/usage")).json())["usage"]
    assert rounded(used) == rounded(root["total"])

    # `top`.
    top = RunTree(run)
    top.apply(await site.log.read(run, limit=100_000))
    for row in top.rows(()):
        number = int(row.key)
        tokens, _, money, _ = (cell.plain for cell in row.cells)
        assert [tokens, money] == total[number]
        words = top.about(number)[1].plain
        for label, usage in (("own", tree[number]["usage"]), ("total", tree[number]["total"])):
            said = spent(Usage(**usage))
            assert f"{label} {said}" in words if said else f"{label} " not in words
        took = tree[number]["duration_ms"]
        assert took is None or words.endswith(duration(took))

    # The page: the list, the run's header, its timeline, and each agent.
    await tab.goto("/")
    entry = tab.locator(f"[role=list] a[href='#/run/{run}']")
    for words in filter(None, (*total[0], str(listed["agents"]))):
        await expect(entry).to_contain_text(words)
    view = await RunView(tab, run).open()
    await expect(view.items).to_have_count(len(tree))
    await expect(view.standing).to_have_text(re.compile("^(Ended|Live)$"))
    rows = await view.items.evaluate_all(PAGE_ROWS)
    assert {number: figures for number, *figures in rows} == {
        number: own[number] + total[number] for number in tree
    }
    header = tab.locator(".run-header")
    for words in filter(None, total[0]):
        await expect(header).to_contain_text(words)
    for number in list(tree)[:3]:
        await view.open(number)
        # An agent that has started nobody has one number, not the same one twice.
        several = tree[number]["children"] or own[number][0] != total[number][0]
        labels = {"own ": own, "total ": total} if several else {"": own}
        for label, figures in labels.items():
            tokens, money = figures[number]
            await expect(view.pane).to_contain_text(f"{label}{tokens or 0} tokens {money}".strip())
        if tree[number]["ended"] is not None:
            took = duration(tree[number]["duration_ms"] or 0)
            await expect(view.pane.locator(".facts")).to_contain_text(took)
