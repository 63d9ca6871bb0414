"""How secrets look, as data: `rules.json`, which `tests/redact/refresh_rules.py` takes from the
scanner CredSweeper, and `own.toml`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import chain
from pathlib import Path

import msgspec
from msgspec import Struct

from unbraid.redact.anchors import finder, matches
from unbraid.redact.view import View

_HERE = Path(__file__).parent
_PART = re.compile(r"<([A-Z_]+)>")


class ProviderRule(Struct):
    """A provider's keys: one of `words` is in each; no other word begins with one of `prefixes`;
    `patterns` are for keys that have no such beginning, with a group `value`.
    """

    name: str
    words: list[str]
    prefixes: list[str]
    patterns: list[str]


class _ProviderRules(Struct):
    source: str
    rules: list[ProviderRule]


class _Group(Struct):
    rows: list[tuple[str, str]]
    before: str = ""
    after: str = ""
    check: str = ""
    small: bool = False
    anywhere: bool = False
    open: list[str] = []
    next: str = ""


class _OwnRules(Struct):
    prefixes: str
    parts: dict[str, str]
    words: dict[str, str]
    groups: list[_Group]
    shapes: list[ProviderRule]


class Rule:
    """What a word introduces. Each match has the group `value`; what has none is no secret."""

    def __init__(self, word: bytes, pattern: str, group: _Group) -> None:
        self.word, self.check, self.small = word, group.check, group.small
        self._source, self._anywhere = pattern, group.anywhere

    @cached_property
    def pattern(self) -> re.Pattern[bytes]:
        """It is compiled when its word is found for the first time."""
        return re.compile(self._source.encode())

    def matches(self, seen: View, offsets: list[int]) -> Iterator[re.Match[bytes]]:
        """Returns the matches in a text that has the word, in small letters, at these offsets."""
        text = seen.lower if self.small else seen.text
        if not self.small and self.word not in text:
            return iter(())
        if self._anywhere:
            return self.pattern.finditer(text)
        return matches(self.pattern, offsets, text)


class Shapes:
    """The providers' rules without prefixes, each compiled when one of its words is found for the
    first time.
    """

    def __init__(self, rules: Iterable[ProviderRule]) -> None:
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
        numbers = [self._by_word[word] for word in self._present(text)]
        for number in sorted(set(chain.from_iterable(numbers))):
            if number not in self._compiled:
                patterns = self._rules[number].patterns
                self._compiled[number] = [re.compile(pattern.encode()) for pattern in patterns]
            for pattern in self._compiled[number]:
                for found in pattern.finditer(text):
                    yield found.span("value")


class Rules:
    """The rules of both files."""

    def __init__(self) -> None:
        rules = (_HERE / "rules.json").read_bytes()
        providers = msgspec.json.decode(rules, type=_ProviderRules).rules
        own = msgspec.toml.decode((_HERE / "own.toml").read_bytes(), type=_OwnRules)
        prefixes = {*own.prefixes.split(), *(each for rule in providers for each in rule.prefixes)}
        # How keys begin.
        self.prefixes = tuple(prefix.encode() for prefix in sorted(prefixes))
        self.shapes = Shapes([*providers, *own.shapes])
        self._words = own.words
        # Those of several lines are indented.
        self._parts = {
            name: "".join(map(str.lstrip, part.splitlines())) if "\n" in part else part
            for name, part in own.parts.items()
        }
        self._introduced: list[tuple[bytes, Rule]] = []
        # What at the end of a text may become a secret, and whether that is in small letters.
        self.open: list[tuple[re.Pattern[bytes], bool]] = []
        for group in own.groups:
            self.open += [(self._compiled(each), group.small) for each in group.open]
            for words, rest in group.rows:
                for word in words.split("|"):
                    self._add(word, rest, group)

    def words(self, name: str) -> frozenset[bytes]:
        """Returns the words of a list in `own.toml`."""
        return frozenset(self._words[name].encode().split())

    def by_word(self, *checks: str) -> dict[bytes, list[Rule]]:
        """Returns the rules whose values have one of these checks, by words in small letters."""
        found: dict[bytes, list[Rule]] = {}
        for word, rule in self._introduced:
            if rule.check in checks:
                found.setdefault(word, []).append(rule)
        return found

    def part(self, name: str) -> re.Pattern[bytes]:
        """Returns the pattern of a part in `own.toml`."""
        return self._compiled(self._parts[name])

    def _add(self, word: str, rest: str, group: _Group) -> None:
        begin = "" if group.anywhere else re.escape(word)
        pattern = self._expanded(group.before + begin + rest + group.after)
        rule = Rule(word.encode(), pattern, group)
        # One of these words, in small letters, is in each text that has such a secret.
        ends = [each.encode() for each in group.next or [""]]
        self._introduced += [(rule.word.lower() + end, rule) for end in ends]

    def _compiled(self, pattern: str) -> re.Pattern[bytes]:
        return re.compile(self._expanded(pattern).encode())

    def _expanded(self, pattern: str) -> str:
        if not _PART.search(pattern):
            return pattern
        return self._expanded(_PART.sub(lambda found: self._parts[found[1]], pattern))


RULES = Rules()


def introduced(
    seen: View, rules: dict[bytes, list[Rule]]
) -> Iterator[tuple[Rule, re.Match[bytes]]]:
    """Yields what the words that a text has introduce by some rules."""
    for word in seen.anchors.keys() & rules.keys():
        for rule in rules[word]:
            for found in rule.matches(seen, seen.anchors[word]):
                yield rule, found
