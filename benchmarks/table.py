"""What the benchmarks have measured, as one table."""

from __future__ import annotations

from dataclasses import dataclass


class NotMeasured(Exception):
    """What a benchmark needs is not there."""


@dataclass(frozen=True)
class Measured:
    """One number: what it is of, and, where there is one, the bound that it is held against.

    `value` is a ratio against the peer or the limit named in `against`, or a quantity with its
    `unit`. `detail` says more, in words.
    """

    what: str
    value: float
    unit: str = ""
    against: str = ""
    at_least: float | None = None
    at_most: float | None = None
    detail: str = ""

    @property
    def good(self) -> bool | None:
        """Whether it is as it is wanted; None if nobody wants anything."""
        if self.at_least is not None:
            return self.value >= self.at_least
        return None if self.at_most is None else self.value <= self.at_most

    def cells(self) -> tuple[str, ...]:
        """A line of the table."""
        wanted = ""
        if self.at_least is not None:
            wanted = f"≥ {self.at_least:g}"
        elif self.at_most is not None:
            wanted = f"≤ {self.at_most:g}"
        mark = {None: "", True: "yes", False: "NO"}[self.good]
        value = f"{self.value:,.0f}" if self.value >= 100 else f"{self.value:.2f}"
        return self.what, f"{value} {self.unit}".strip(), wanted, mark, self.against, self.detail


def table(rows: list[Measured]) -> str:
    """All lines under each other."""
    head = ("what", "measured", "wanted", "met", "against", "detail")
    lines = [head, *(row.cells() for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    padded = [
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    ]
    return "\n".join([padded[0], "  ".join("-" * width for width in widths), *padded[1:]])
