"""Errors for requests that an orchestrator does not accept."""

from __future__ import annotations

from unbraid.errors import CallerError


class RequestConflict(CallerError):
    """The request does not fit what is there: a key that was used for another request, a master
    that is gone or at work.
    """


class TooManyRequests(CallerError):
    """This process works on as many requests as it accepts."""
