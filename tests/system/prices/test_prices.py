"""Prices: as `genai-prices` would compute them, and a person's own before them."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import genai_prices
import msgspec
import pytest
from genai_prices.data import providers
from hypothesis import given, settings
from hypothesis import strategies as st

from unbraid.fold.prices import MessageTokens, PriceList, Prices
from unbraid.system.prices.loader import load_prices
from unbraid.system.prices.snapshot import BUNDLED, snapshot

LISTED = msgspec.json.decode(BUNDLED.read_bytes(), type=PriceList)
PRICES = Prices(LISTED)
MODELS = sorted({model.id for each in providers if each.model_match for model in each.models})
COUNT = st.integers(0, 600_000)


def test_the_list_is_that_of_the_installed_package() -> None:
    made = snapshot()
    assert made.version == LISTED.version == genai_prices.__version__, (
        "make it anew: python -m unbraid.system.prices.snapshot"
    )
    assert msgspec.json.encode(made) == msgspec.json.encode(LISTED)


def theirs(model: str, at: datetime, tokens: MessageTokens) -> float | None:
    """What the package itself computes."""
    usage = genai_prices.Usage(
        input_tokens=tokens.input_tokens + tokens.cache_read_tokens + tokens.cache_creation_tokens,
        output_tokens=tokens.output_tokens,
        cache_read_tokens=tokens.cache_read_tokens,
        cache_write_tokens=tokens.cache_creation_tokens,
        cache_write_1h_tokens=tokens.cache_1h_tokens,
    )
    try:
        found = genai_prices.calc_price(usage, model, genai_request_timestamp=at)
    except LookupError:
        return None
    return float(found.total_price)


@settings(max_examples=300)
@given(
    st.sampled_from([*MODELS, "claude-sonnet-4-5-20250929", "gpt-5.2-20251211", "nobody-1"]),
    st.datetimes(datetime(2024, 1, 1), datetime(2027, 1, 1), timezones=st.just(UTC)),
    st.tuples(COUNT, COUNT, COUNT, COUNT, COUNT),
)
def test_costs_are_those_of_the_package(
    model: str, at: datetime, counts: tuple[int, int, int, int, int]
) -> None:
    given, said, read, written, hour = counts
    tokens = MessageTokens(given, said, read, written, min(hour, written))
    ours = PRICES.cost(model, int(at.timestamp() * 1000), tokens)
    wanted = theirs(model, at, tokens)
    assert (ours is None) == (wanted is None)
    assert ours is None or ours == pytest.approx(wanted, rel=1e-9, abs=1e-12)


def test_a_long_context_and_each_cache_have_prices_of_their_own() -> None:
    model, ts = "claude-sonnet-4-5", 1_790_000_000_000
    short = MessageTokens(input_tokens=200_000)
    long = MessageTokens(input_tokens=200_001)
    assert PRICES.cost(model, ts, short) == pytest.approx(0.6)
    assert PRICES.cost(model, ts, long) == pytest.approx(200_001 * 6 / 1e6)
    cached = MessageTokens(cache_read_tokens=1000, cache_creation_tokens=1000)
    assert PRICES.cost(model, ts, cached) == pytest.approx((0.3 + 3.75) / 1000)
    hour = MessageTokens(cache_creation_tokens=1000, cache_1h_tokens=1000)
    assert PRICES.cost(model, ts, hour) == pytest.approx(6 / 1000)


@pytest.mark.parametrize(
    "name",
    [
        "anthropic/claude-sonnet-4-5",
        "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
        "claude-sonnet-4-5[1m]",
        "Claude-Sonnet-4-5",
    ],
)
def test_a_model_is_known_behind_the_names_that_clouds_give_it(name: str) -> None:
    assert PRICES.rates(name) == PRICES.rates("claude-sonnet-4-5") != ()


@pytest.mark.parametrize("name", ["", "nobody-1", "claude-of-tomorrow-9", "<synthetic>", "/", "["])
def test_a_model_that_nobody_knows_has_no_price(name: str) -> None:
    assert PRICES.cost(name, 0, MessageTokens(input_tokens=1)) is None
    assert PRICES.cost(None, 0, MessageTokens(input_tokens=1)) is None


def test_own_prices_go_before_the_listed_ones(tmp_path: Path) -> None:
    (tmp_path / "prices.json").write_text(
        '{"claude-sonnet-4-5": {"input": 1, "output": 2},'
        ' "nobody-1": {"input": 1, "output": 2, "cache_read": 0.5,'
        '  "above": {"1000": {"input": 10}, "5000": {"input": 100}}}}'
    )
    loaded = load_prices({"UNBRAID_HOME": str(tmp_path)})
    assert loaded.problems == {}
    million = MessageTokens(input_tokens=1000, output_tokens=1000)
    assert loaded.prices.cost("claude-sonnet-4-5", 0, million) == pytest.approx(0.003)
    # What has no price of its own is charged as input.
    assert loaded.prices.cost("claude-sonnet-4-5", 0, MessageTokens(cache_read_tokens=1000)) == (
        pytest.approx(0.001)
    )
    costs = [loaded.prices.cost("nobody-1", 0, MessageTokens(n)) for n in (1000, 1001, 5001)]
    assert costs == pytest.approx([0.001, 0.01001, 0.5001])
    assert loaded.digest != load_prices({"UNBRAID_HOME": str(tmp_path / "none")}).digest


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{", "not JSON"),
        ("[]", "not an object of models"),
        ('{"a": 1}', "not an object"),
        ('{"a": {"input": 1}}', "`input` and `output` are required"),
        ('{"a": {"input": "1", "output": 1}}', "`input` is not a number of dollars"),
        ('{"a": {"input": -1, "output": 1}}', "`input` is not between 0 and 1,000,000,000 dollars"),
        ('{"a": {"input": 1e308, "output": 1}}', "`input` is not between 0 and 1,000,000,000"),
        (f'{{"a": {{"input": 1, "output": {"9" * 400}}}}}', "`output` is not between 0 and"),
        ('{"a": {"input": true, "output": 1}}', "`input` is not a number"),
        ('{"a": {"input": 1, "output": 1, "inputs": 1}}', "unknown field 'inputs'"),
        ('{"a": {"input": 1, "output": 1, "above": {"x": {}}}}', "not a number of tokens: 'x'"),
        (
            f'{{"a": {{"input": 1, "output": 1, "above": {{"{"9" * 5000}": {{}}}}}}}}',
            "of tokens: '9",
        ),
        ('{"a": {"input": 1, "output": 1, "above": 3}}', "`above` is not an object"),
    ],
)
def test_a_broken_price_file_is_reported_and_everything_else_has_its_price(
    tmp_path: Path, text: str, problem: str
) -> None:
    broken = tmp_path / "mine.json"
    broken.write_text(text)
    loaded = load_prices({"UNBRAID_PRICES": str(broken), "HOME": str(tmp_path)})
    assert [problem in each for each in loaded.problems.values()] == [True]
    assert all(str(broken) in place for place in loaded.problems)
    assert loaded.prices.rates("claude-sonnet-4-5")
    assert loaded.prices.rates("a") == ()


def test_a_broken_price_leaves_the_others_of_its_file(tmp_path: Path) -> None:
    own = tmp_path / "mine.json"
    own.write_text('{"a": {"input": 1, "output": 1}, "b": {}}')
    loaded = load_prices({"UNBRAID_PRICES": str(own)})
    assert list(loaded.problems) == [f"{own}: b"]
    assert loaded.prices.rates("a")


def test_a_price_file_that_is_named_has_to_be_there(tmp_path: Path) -> None:
    missing = str(tmp_path / "none.json")
    assert load_prices({"UNBRAID_PRICES": missing}).problems == {missing: "no such price file"}
    assert load_prices({"UNBRAID_HOME": str(tmp_path)}).problems == {}
    assert load_prices({"UNBRAID_PRICES": str(tmp_path)}).problems


def test_a_newer_release_of_the_package_is_used_and_taken_out_of_it_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from unbraid.system.prices import loader

    calls: list[PriceList] = []

    def newer() -> PriceList:
        calls.append(PriceList("99.0", LISTED.providers[:1]))
        return calls[-1]

    monkeypatch.setattr(loader, "installed_version", lambda: "99.0")
    monkeypatch.setattr(loader, "snapshot", newer)
    env = {"UNBRAID_HOME": str(tmp_path / "home")}
    first, second = load_prices(env), load_prices(env)
    assert first.digest == second.digest and len(calls) == 1
    assert first.prices.rates("gpt-5") == () != first.prices.rates("claude-sonnet-4-5")
