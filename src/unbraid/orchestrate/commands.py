"""Commands beside `/agent` and `/parallel`: a word, what it does, and how it is explained."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping

from msgspec import Struct

from unbraid.errors import CallerError
from unbraid.orchestrate.addresses import networks
from unbraid.orchestrate.grammar import WORDS

Carry = Callable[[str], Awaitable[str]]


class Plugin(Struct, frozen=True):
    """A command. `carry_out` takes what stands behind the word and gives the text of the answer;
    an UnbraidError that it raises becomes an ERR line. `usage` is shown to agents.
    """

    word: str
    usage: str
    carry_out: Carry


class Commands(Mapping[str, Plugin]):
    """The commands that agents of an orchestrator can be granted."""

    def __init__(self, *plugins: Plugin) -> None:
        self._plugins: dict[str, Plugin] = {}
        for plugin in plugins:
            self.register(plugin)

    def register(self, plugin: Plugin) -> None:
        """Adds a plugin. Raises CallerError if its word is taken or not allowed."""
        word = plugin.word
        if word in WORDS or word in self._plugins:
            raise CallerError(f"the command /{word} already exists")
        if not (word.isascii() and word.isalnum() and word.islower()):
            raise CallerError(f"a command is a word of small letters and digits: {word!r}")
        self._plugins[word] = plugin

    @property
    def usages(self) -> dict[str, str]:
        """How each is explained."""
        return {word: plugin.usage for word, plugin in self._plugins.items()}

    def __getitem__(self, word: str) -> Plugin:
        return self._plugins[word]

    def __iter__(self) -> Iterator[str]:
        return iter(self._plugins)

    def __len__(self) -> int:
        return len(self._plugins)


def built_in(env: Mapping[str, str] | None = None) -> Commands:
    """Returns the commands of every orchestrator; `UNBRAID_FETCH_ALLOW` lists further networks for
    `/fetch`.
    """
    written = (env or {}).get("UNBRAID_FETCH_ALLOW", "")
    try:
        allowed = networks(filter(None, map(str.strip, written.split(","))))
    except ValueError as error:
        raise CallerError(f"UNBRAID_FETCH_ALLOW: {error}") from None

    async def fetch(url: str) -> str:
        # An extra, and heavy: only who fetches pays for it.
        from unbraid.orchestrate.fetch import FetchLimits, fetch

        return await fetch(url, FetchLimits(allowed))

    return Commands(Plugin("fetch", "/fetch URL\n    Read a web page as text.", fetch))
