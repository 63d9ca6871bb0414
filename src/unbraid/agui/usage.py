"""What a run has used, by model, as AG-UI counts it: cached input is part of the input."""

from __future__ import annotations

from ag_ui.core import TokenUsage

from unbraid import events as e
from unbraid.fleet.usage import Usage


class UsageByModel:
    """The usage of each model."""

    def __init__(self) -> None:
        self._models: dict[str | None, Usage] = {}

    def add(self, event: e.FleetTokenUsage) -> None:
        """Counts one message."""
        self._models.setdefault(event.model, Usage()).add(event)

    def entries(self) -> list[TokenUsage] | None:
        """Returns what each has used; None if nothing was."""
        return [_entry(model, usage) for model, usage in self._models.items()] or None


def message_usage(event: e.FleetTokenUsage) -> dict[str, object]:
    """Returns what one message has used, with what it cost."""
    usage = Usage()
    usage.add(event)
    found: dict[str, object] = _entry(event.model, usage).model_dump(
        by_alias=True, exclude_none=True
    )
    found["messageId"] = event.message_id
    dollars = {"costUsd": event.cost_usd, "estimatedUsd": event.estimated_usd}
    return found | {name: value for name, value in dollars.items() if value is not None}


def _entry(model: str | None, usage: Usage) -> TokenUsage:
    cached = usage.cache_read_tokens + usage.cache_creation_tokens
    return TokenUsage(
        model=model,
        input_tokens=usage.input_tokens + cached,
        output_tokens=usage.output_tokens,
        total_tokens=usage.total_tokens,
        cached_input_tokens=usage.cache_read_tokens,
        cache_write_input_tokens=usage.cache_creation_tokens,
    )
