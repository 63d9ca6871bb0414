"""Whatever an agent prints, the page shows it and does nothing."""

from __future__ import annotations

import json
import re

from playwright.async_api import Page, ViewportSize, expect

from tests.web.hostile import LAST, hostile_story
from tests.web.site import Site
from tests.web.stories import Story
from tests.web.views import RunView
from unbraid.fold.pipeline import Pipeline

# Nothing that could run, load or send; and no part of the page that is wider than the screen.
HARM = """() => {
  const every = [...document.querySelectorAll('*')];
  const address = (one) => new URL(one.href?.baseVal ?? one.href ?? one.src, location);
  return [
    window.hacked,
    ...every.filter((one) => [...one.attributes].some((a) => a.name.startsWith('on'))),
    ...document.querySelectorAll('iframe, object, embed, base, form[action], video, math'),
    ...document.querySelectorAll('main img'),
    ...document.querySelectorAll('body script, body style, body link, body meta'),
    ...[...document.querySelectorAll('[href], [src], [srcset]')].filter(
      (one) => address(one).origin !== location.origin,
    ),
    ...(document.documentElement.scrollWidth > innerWidth ? ['wider than the screen'] : []),
  ].filter(Boolean).map((one) => one.outerHTML?.slice(0, 200) ?? String(one));
}"""


# A conversation opens at its end, and goes there again while its rows get their real sizes.
TO_START = """async log => {
  for (let calm = 0; calm < 10; await new Promise(requestAnimationFrame)) {
    calm = log.scrollTop === 0 ? calm + 1 : 0;
    log.scrollTo(0, 0);
  }
}"""


# A screen on which little has to be scrolled.
TALL: ViewportSize = {"width": 1280, "height": 4000}


async def harmless(tab: Page) -> None:
    assert await tab.evaluate(HARM) == []


async def test_hostile_output_does_nothing(site: Site, tab: Page) -> None:
    asked: list[str] = []
    tab.on("dialog", lambda dialog: asked.append(dialog.message))
    await tab.set_viewport_size(TALL)
    await site.append("run", hostile_story().events)
    await tab.goto("/")
    await expect(tab.get_by_role("list", name="Runs")).to_contain_text("</script>")
    await harmless(tab)

    view = await RunView(tab, "run").open()
    await expect(view.items).to_have_count(2)
    await harmless(tab)
    for stream in (0, 1):
        await view.open(stream)
        log = view.pane.get_by_role("log")
        await expect(log).to_be_visible()
        await log.evaluate(TO_START)
        # Walk through all of it, with every fold open, as far as the last word.
        for _ in range(400):
            if await view.pane.get_by_text(LAST).first.is_visible():
                break
            await log.evaluate("log => log.scrollBy(0, log.clientHeight * 0.8)")
            await log.evaluate("log => log.querySelectorAll('details').forEach(d => d.open = true)")
            await tab.evaluate("() => new Promise(requestAnimationFrame)")
            await harmless(tab)
        await expect(view.pane.get_by_text(LAST).first).to_be_visible()
    assert asked == []
    assert re.search("unbraid$", await tab.title())


async def test_marks_that_turn_text_around_are_shown(site: Site, tab: Page) -> None:
    await site.append("run", hostile_story().events)
    view = await RunView(tab, "run").open()
    names = [each.label for each in await view.seen()]
    assert not any(mark in name for name in names for mark in "\u202e\u2066\x1b")
    assert "⟨RLO⟩" in names[1]


async def test_a_link_is_not_followed_blindly(site: Site, tab: Page) -> None:
    words = "See [our docs](https://evil.example/page)."
    await site.append("run", Story().say(words).done().events)
    view = await RunView(tab, "run").open(0)
    link = view.pane.get_by_role("button", name="our docs")
    await expect(view.pane).to_contain_text("evil.example")
    await link.click()
    dialog = tab.get_by_role("dialog")
    await expect(dialog).to_contain_text("https://evil.example/page")
    await tab.keyboard.press("Escape")
    await expect(dialog).to_be_hidden()
    assert tab.url.startswith(site.url)
    assert len(tab.context.pages) == 1


async def test_the_policy_forbids_what_would_slip_through(site: Site, tab: Page) -> None:
    answer = await tab.goto("/")
    assert answer is not None
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self';" in policy
    assert "style-src 'self';" in policy
    assert "unsafe" not in policy


ODD_IDS = ("__proto__", "constructor", "toString", "hasOwnProperty", "a\nb", "x" * 100_000)


def odd_values() -> bytes:
    """Calls, agents and messages by names that mean something to the page, and odd inputs."""
    deep = "[" * 900 + "]" * 900
    lines = []
    for number, name in enumerate(ODD_IDS):
        about = {"type": "assistant", "session_id": "s", "uuid": f"u{number}"}
        task = {"description": name, "prompt": name, "subagent_type": name}
        blocks: list[object] = [
            {"type": "text", "text": f"Before {number}."},
            {"type": "tool_use", "id": f"{name}/1", "name": name, "input": {name: 0}},
            {"type": "tool_use", "id": name, "name": "Task", "input": task},
        ]
        for block in blocks:
            message = {"id": name, "content": [block]}
            lines.append(json.dumps({**about, "message": message}))
        inner = {"id": f"{name}!", "content": [{"type": "text", "text": f"Within {number}."}]}
        lines.append(json.dumps({**about, "parent_tool_use_id": name, "message": inner}))
    for value in (deep, "1e999", "9" * 5000, '{"__proto__":{"polluted":1}}', '"\\ud800"'):
        block = f'{{"type":"tool_use","id":"t{len(lines)}","name":"Bash","input":{{"n":{value}}}}}'
        result = (
            f'{{"type":"tool_result","tool_use_id":"t{len(lines)}","content":[{{"n":{value}}}]}}'
        )
        lines.append(
            f'{{"type":"assistant","message":{{"id":"m{len(lines)}","content":[{block}]}}}}'
        )
        lines.append(f'{{"type":"user","message":{{"content":[{result}]}}}}')
        lines.append(f'{{"type":"brand_new","n":{value}}}')
    usage = '{"input_tokens":99999999999999999999,"output_tokens":-5}'
    last = f'{{"id":"last","content":[{{"type":"text","text":"{LAST}"}}],"usage":{usage}}}'
    lines.append(f'{{"type":"assistant","message":{last}}}')
    lines.append('{"type":"result","subtype":"success","result":"x","total_cost_usd":1e308}')
    return "\n".join(lines).encode() + b"\n"


async def test_odd_names_and_values_are_shown_like_all_others(site: Site, tab: Page) -> None:
    pipeline = Pipeline()
    await site.append("run", pipeline.feed(odd_values()) + pipeline.finish())
    await tab.set_viewport_size(TALL)
    view = await RunView(tab, "run").open()
    await expect(view.items).to_have_count(1 + len(ODD_IDS))
    for stream in range(1 + len(ODD_IDS)):
        await view.open(stream)
        log = view.pane.get_by_role("log")
        await log.evaluate(TO_START)
        wanted = LAST if stream == 0 else f"Within {stream - 1}."
        for _ in range(1000):
            if await view.pane.get_by_text(wanted).first.is_visible():
                break
            await log.evaluate("log => log.scrollBy(0, log.clientHeight * 0.8)")
            await log.evaluate("log => log.querySelectorAll('details').forEach(d => d.open = true)")
            await tab.evaluate("() => new Promise(requestAnimationFrame)")
        await expect(view.pane.get_by_text(wanted).first).to_be_visible()
        await harmless(tab)
    assert await tab.evaluate("() => ({}).polluted") is None
