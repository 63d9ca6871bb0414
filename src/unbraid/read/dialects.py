"""What reads one run's records: each kind of agents has a dialect."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol, TypeVar

from unbraid.events import RelayEvent
from unbraid.read.record import Record

R = TypeVar("R", bound=Record)


class Delta(NamedTuple):
    """A part of a block's text. `text` is the JSON string as it stands in the line, with its
    quotes. `alone`: every other block of the same owner is whole.
    """

    owner: str
    block: str | int
    text: bytes
    alone: bool = False


class BlockEnd(NamedTuple):
    """Blocks that are whole: one, all of an owner (`block` is None), or all (`owner` is None)."""

    owner: str | None = None
    block: str | int | None = None


class Dialect(Protocol[R]):
    """One run's records to relay events: what is new, and who said it. Pure.

    A kind's dialect extends this. Everything but `decode` and `translate` has a default.
    """

    delta_signs: tuple[bytes, ...] = ()
    """Words of which every line has one that `delta` says something about; empty if its lines never
    carry text in small parts."""

    part_signs: tuple[bytes, ...] = ()
    """The same for lines that carry a part of a block."""

    @property
    def ts(self) -> int:
        """The latest time that a source has given, in milliseconds since 1970; 0 if none did."""
        return 0

    @property
    def outcome(self) -> tuple[bool, str] | None:
        """How the main agent has ended, as far as is known: ok, and the reason."""
        return None

    def decode(self, line: bytes) -> R | None:
        """Returns a line as a record of this kind; None if it belongs to another kind. Raises one
        of `BAD_JSON` if the line is no JSON that a record could be.

        `decode` sets the record's `raw`. Every kind may be asked about every line, so
        a record belongs to a kind only by what no other kind prints: its types, its ids.
        """
        ...

    def translate(self, record: R, out: list[RelayEvent]) -> None:
        """Appends what is new in a record."""
        ...

    def decode_again(self, record: R) -> R | None:
        """Returns what `decode` returns for the line of a record that its source has decoded by
        itself: often that very record.
        """
        return self.decode(record.raw)

    def finish(self, out: list[RelayEvent]) -> None:
        """Appends what was waiting, and ends what was running: the sources are over."""
        return

    @property
    def program(self) -> str | None:
        """The name of the kind that has written the records, where several kinds write this format;
        None if that is the dialect's own, or not known yet.
        """
        return None

    def mend(self, value: dict[str, Any]) -> tuple[R, bool] | None:
        """Returns a JSON object with wrong types in known places as a record of this kind, with
        what is right in it, and whether nothing had to be left out; None if it belongs to another
        kind, or if such a record is damaged as a whole.
        """
        return None

    def reading(self, source: str) -> None:
        """Notes from which source the next lines come: where lines do not name their agent, the
        source's name does.
        """
        return

    def arrive(self, now: int) -> None:
        """Notes when the records that follow have arrived, in milliseconds since 1970; 0 if they
        are not read as they come. It dates records without a time of their own; otherwise they
        happened when the record before them did.
        """
        return

    def delta(self, line: bytes) -> Delta | BlockEnd | None:
        """Returns what a line says about blocks whose text comes in small parts, so that a secret
        which is cut over many lines can be redacted in each of them; None if it says nothing, or is
        not this kind's. Depends on nothing but the line.
        """
        return None


def with_defaults(dialect: Any) -> Dialect[Any]:
    """Returns a dialect that has everything: one of another package may have the form of a
    `Dialect` without extending it.
    """
    for name in ("decode_again", "finish", "mend", "reading", "arrive"):
        if not hasattr(dialect, name):
            setattr(dialect, name, getattr(Dialect, name).__get__(dialect))
    if not hasattr(dialect, "program"):
        dialect.program = None
    made: Dialect[Any] = dialect
    return made
