"""One small tree of errors, by blame.

    UnbraidError
    ├── SourceError     the source is wrong: missing, unreadable, of no known kind
    ├── CallerError     the caller is wrong: bad arguments, a call out of order
    │   ├── RequestConflict
    │   └── TooManyRequests
    ├── BackendError    what runs an agent is wrong: missing, refused, crashed, silent
    └── LogError        the log cannot keep its promise

Content never raises: bad input becomes a `malformed` event and the stream continues.
"""

from __future__ import annotations


class UnbraidError(Exception):
    """The root of everything this package raises on purpose."""


class SourceError(UnbraidError):
    """A source cannot be read or is not a kind of source that unbraid knows."""

    def __init__(self, source: str, problem: str) -> None:
        super().__init__(f"{source}: {problem}")
        self.source = source
        self.problem = problem


class CallerError(UnbraidError):
    """The caller asked for something that makes no sense."""


class RequestConflict(CallerError):
    """A request to an orchestrator does not fit what is there: a key that was used for another
    request, a master that is gone or at work.
    """


class TooManyRequests(CallerError):
    """This process orchestrates as many requests as it accepts."""


class BackendError(UnbraidError):
    """What runs an agent failed; `advice` says what to do about it."""

    def __init__(self, backend: str, problem: str, advice: str = "") -> None:
        super().__init__(f"{backend}: {problem}" + (f"; {advice}" if advice else ""))
        self.backend = backend
        self.problem = problem
        self.advice = advice


class LogError(UnbraidError):
    """The log cannot keep its promise."""
