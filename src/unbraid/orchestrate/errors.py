"""Requests that an orchestrator does not take."""

from __future__ import annotations

from unbraid.errors import CallerError


class RequestConflict(CallerError):
    """The request does not fit what is there: a key that was used for another request, a master
    that is gone or at work.
    """


class TooManyRequests(CallerError):
    """As many are being worked on as this process takes."""
