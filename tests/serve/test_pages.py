"""The page as it is shipped: whole, named files only, and nothing that its own policy forbids."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

import httpx

ROOT = Path(__file__).parents[2]
FOLDER = files("unbraid.serve") / "static"


async def test_the_page_and_all_that_it_names_are_there(client: httpx.AsyncClient) -> None:
    page = await client.get("/")
    assert page.status_code == 200
    assert page.headers["content-type"].startswith("text/html")
    named = re.findall(r'(?:src|href)="\.?(/[^"]+)"', page.text)
    assert named
    for path in named:
        found = await client.get(path)
        assert found.status_code == 200, path
        assert found.headers["content-type"].split("/")[0] in ("text", "image", "application")


async def test_the_page_holds_no_inline_script_and_names_no_other_host(
    client: httpx.AsyncClient,
) -> None:
    page = (await client.get("/")).text
    assert all(body == "" for body in re.findall(r"<script[^>]*>(.*?)</script>", page, re.DOTALL))
    assert not re.search(r'(?:src|href)="(?:https?:)?//', page)
    assert not re.search(r"\son[a-z]+=", page)


async def test_a_file_that_is_known_is_not_sent_again(client: httpx.AsyncClient) -> None:
    first = await client.get("/assets/page.js")
    again = await client.get("/assets/page.js", headers={"if-none-match": first.headers["etag"]})
    assert (first.status_code, again.status_code, again.content) == (200, 304, b"")


async def test_no_path_leads_out_of_the_page(client: httpx.AsyncClient) -> None:
    for path in ("/assets/../../app.py", "/assets/%2e%2e/%2e%2e/app.py", "//etc/passwd", "/assets"):
        assert (await client.get(path)).status_code == 404, path


def test_every_file_of_the_page_is_one_of_ours() -> None:
    """A map of the source or a stray file would make the package larger for nothing."""
    endings = {".html", ".js", ".css", ".svg"}
    found = [path for path in Path(str(FOLDER)).rglob("*") if path.is_file()]
    assert found
    assert {path.suffix for path in found} <= endings
