"""`/fetch` as agents have it, and the networks that a person has opened to it."""

from __future__ import annotations

import pytest

from tests.orchestrate.test_fetch import answer, giving, site
from unbraid.errors import CallerError, SourceError
from unbraid.orchestrate.commands import built_in


async def test_it_goes_where_a_person_has_allowed_it() -> None:
    async with site(giving(answer(b"hello"))) as here:
        with pytest.raises(SourceError, match="not a public address"):
            await built_in()["fetch"].carry_out(here.url)
        for allowed in ("127.0.0.0/8", " 10.0.0.0/8 , 127.0.0.1,"):
            commands = built_in({"UNBRAID_FETCH_ALLOW": allowed})
            assert await commands["fetch"].carry_out(here.url) == "hello"


def test_a_network_that_is_none_is_reported_at_once() -> None:
    with pytest.raises(CallerError, match="UNBRAID_FETCH_ALLOW"):
        built_in({"UNBRAID_FETCH_ALLOW": "localhost"})
