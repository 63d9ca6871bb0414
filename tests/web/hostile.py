"""What agents might print to harm the one who reads it."""

from __future__ import annotations

from tests.web.stories import Story
from unbraid import events as e

HACK = "window.hacked=1"

HTML = (
    f"<script>{HACK}</script>",
    f'<img src=x onerror="{HACK}">',
    f'<svg onload="{HACK}"><script>{HACK}</script><set onbegin="{HACK}" /></svg>',
    f'<math><mtext><table><mglyph><style><img src=x onerror="{HACK}"></style></math>',
    f'<a href="javascript:{HACK}" onclick="{HACK}">a link in HTML</a>',
    '<iframe src="https://evil.example/frame"></iframe><object data="https://evil.example"></object>',
    '<style>@import url("https://evil.example/style.css"); * { display: none !important }</style>',
    '<link rel=stylesheet href="https://evil.example/s.css"><base href="https://evil.example/">',
    '<meta http-equiv=refresh content="0;url=https://evil.example/">',
    f'<form action="https://evil.example/"><button autofocus onfocus="{HACK}">x</button></form>',
    f'<video autoplay src="https://evil.example/v.mp4" onerror="{HACK}"></video>',
    f"<details open ontoggle={HACK}><summary>s</summary></details>",
    f'</textarea></title></pre>--><x onpointerenter="{HACK}" style="position:fixed;inset:0">',
)
MARKDOWN = (
    f"[a script link](javascript:{HACK})",
    f"[a coded one](&#106;avascript&colon;{HACK})",
    f"[a data link](data:text/html,<script>{HACK}</script>)",
    f"<javascript:{HACK}>",
    "![a picture](https://evil.example/picture.png)",
    "[a plain link](https://evil.example/page)",
    f'[quoted](https://evil.example/" onmouseover="{HACK})',
    f"```html\n<script>{HACK}</script>\n```",
    f'```"><img src=x onerror={HACK}>\nx\n```',
    f"{{{{constructor.constructor('{HACK}')()}}}} ${{{HACK}}} {{@html '<script>{HACK}</script>'}}",
)
LAYOUT = (
    "W" * 20_000,
    "`" + "C" * 20_000 + "`",
    "| " + " | ".join(["column"] * 300) + " |\n|" + "-|" * 300,
    "\u202egpj.exe\u202c \u2066isolated\u2069 \u200f\u200f",
    "\x1b[31mred\x1b[0m \x1b]0;a title\x07 \x1b[2J\x1b[H \x1b]8;;https://evil.example\x07link\x1b]8;;\x07",
    "\x00\x08\x0c\x7f\ufeff\ufffe\u2028\u2029",
    "Z\u0351\u036b\u0343\u036a\u0302" * 200,
)
# Parsers that go back and forth would take hours.
KNOTS = ("[" * 5000, "*a_" * 3000, "> " * 3000 + "deep", "![[" * 3000, "<" * 5000, "`" * 4999)
ALL = (*HTML, *MARKDOWN, *LAYOUT, *KNOTS)
LAST = "And that was the last of it."


def hostile_story() -> Story:
    """A run in which every agent says all of it, wherever it can say something."""
    story = Story("\n".join(HTML))
    evil = HTML[1]
    story.tell(e.SessionMeta(session_id="s", cwd=f"/tmp/{evil}", model=evil))
    story.spawn(f"{evil} \u202eeman", kind=f"{evil}\u202eepyt" + "N" * 500)
    for agent in ("", f"{evil} \u202eeman"):
        for words in ALL:
            story.say(words, agent)
        story.think("\n\n".join(ALL[:20]), agent)
        story.call("Bash", {"command": LAYOUT[4]}, "\n".join(LAYOUT), agent)
        story.call(
            "Edit", {"file_path": evil, "old_string": evil, "new_string": HTML[0]}, "", agent
        )
        story.call(evil, {evil: [evil, {"a": LAYOUT[3]}]}, evil, agent, ok=False)
        story.tell(e.Error(agent, message=f"{evil} \x1b[31m"))
        story.say(LAST, agent)
    return story.end(f"{evil} \u202eeman").done()
