"""How the keys of known providers look: `rules.json`, taken from CredSweeper, and a few more."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

import msgspec
from msgspec import Struct

from unbraid.redact.anchors import finder

# What CredSweeper does not know, or knows only by a longer beginning.
MORE_PREFIXES = (
    *("sk-ant-", "sk-proj-", "sk-or-", "sk-svcacct-", "sk-admin-", "sk-lf-", "sk-None-"),
    *(f"xox{kind}-" for kind in "abcdeoprs"), "xoxe.xoxp-", "xapp-",
    *("unbraid_", "secret_", "nvapi-", "r8_", "jina_", "fc-", "e2b_", "rnd_", "re_"),
    *("fm2_", "fo1_", "sb_secret_", "vercel_blob_rw_", "shpat_", "EZAK", "EZTK"),
    *("lin_oauth_", "lsv2_pt_", "lsv2_sk_", "sk_prod_", "sk_dev_", "pcsk_", "api_org_", "fw_"),
    *("shippo_live_", "shippo_test_", "ghe_", "gitea_", "napi_", "apify_api_"),
    *("mlf_", "csk-", "AQ.", "ddapi_", "ddapp_"),
    *("sntrys_", "sq0atp-", "sq0idp-", "ctx7sk-", "nfc_", "nfo_", "rpa_", "hcaik_", "glc_", "flb_"),
    *("ccipat_", "CCIPAT_", "wandb_v1_", "zpka_", "rzp_test_", "FLWSECK-", "FLWSECK_TEST-", "aio_"),
    *("xnd_production_", "xnd_development_", "ory_at_", "ory_rt_", "NRRA-", "AstraCS:"),
    *("pat-na1-", "pat-eu1-", "tr_dev_", "tr_prod_", "signkey-prod-", "sha256~", "WPL_AP1."),
    *("xsmtpsib-", "lip_"),
    *("GOOG1E", "prefect_", "pnu_", "pnb_", "tfe_", "bkua_", "bkct_", "ops_"),
)  # fmt: skip
HERE = Path(__file__).parent


class Rule(Struct):
    """A provider's keys: one of `words` is in each; no other word begins with one of `prefixes`;
    `patterns` are for keys that have no such beginning, with a group `value`.
    """

    name: str
    words: list[str]
    prefixes: list[str]
    patterns: list[str]


MORE_RULES = (
    Rule(
        "NATS seed",
        ["SA", "SC", "SN", "SO", "SU", "SX"],
        [],
        patterns=["(?<![A-Z0-9])S[ACNOUX](?P<value>[A-Z2-7]{56})(?![A-Z0-9])"],
    ),
    Rule(
        "ClickUp", ["pk_"], [], patterns=["pk_[0-9]{6,10}_(?P<value>[A-Z0-9]{32})(?![A-Za-z0-9])"]
    ),
)


class _Rules(Struct):
    source: str
    rules: list[Rule]


class Shapes:
    """The rules without prefixes, each compiled when one of its words is found for the first
    time.
    """

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._by_word: dict[bytes, list[int]] = {}
        self._rules = [rule for rule in rules if rule.patterns]
        for number, rule in enumerate(self._rules):
            for word in rule.words:
                self._by_word.setdefault(word.encode(), []).append(number)
        self.words = frozenset(self._by_word)
        self._present = finder(self._by_word)
        self._compiled: dict[int, list[re.Pattern[bytes]]] = {}

    def ranges(self, text: bytes) -> Iterator[tuple[int, int]]:
        """Yields where such keys are."""
        numbers = [self._by_word[word] for word in self._present(text) if word in text]
        for number in sorted(set(chain.from_iterable(numbers))):
            if number not in self._compiled:
                patterns = self._rules[number].patterns
                self._compiled[number] = [re.compile(pattern.encode()) for pattern in patterns]
            for pattern in self._compiled[number]:
                for found in pattern.finditer(text):
                    yield found.span("value")


def load() -> tuple[list[bytes], Shapes]:
    """Returns the prefixes of all rules, and the rules that have none."""
    rules = msgspec.json.decode((HERE / "rules.json").read_bytes(), type=_Rules).rules
    rules += MORE_RULES
    prefixes = {*MORE_PREFIXES, *(prefix for rule in rules for prefix in rule.prefixes)}
    return [prefix.encode() for prefix in sorted(prefixes)], Shapes(rules)
