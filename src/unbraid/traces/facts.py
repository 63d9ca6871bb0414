"""What all spans of a run share, and the attributes that every one of them has."""

from __future__ import annotations

from collections.abc import Callable

from unbraid.fleet.usage import Usage
from unbraid.traces.identity import TraceIdentity
from unbraid.traces.span import Attributes, known, short

# The conventions' names, where they differ from those of the list of prices.
PROVIDERS = {"google": "gcp.gen_ai", "mistral": "mistral_ai", "x-ai": "x_ai"}


class TraceFacts:
    """A run's ids, what is known about it, and how much of it is to be shown.

    With `content`, spans have what agents were asked, what they said, and the inputs and results of
    their tools. `provider` returns who serves a model, if that is known.
    """

    def __init__(
        self, ids: TraceIdentity, provider: Callable[[str], str | None], *, content: bool
    ) -> None:
        self.ids, self.content, self._provider = ids, content, provider
        self.session_id: str | None = None
        self.prompt: str | None = None

    def attributes(self, operation: str | None, agent: str, stream_id: int) -> Attributes:
        """Returns what every span says: whose work it is, and of which run."""
        return known(
            {
                "gen_ai.operation.name": operation,
                "gen_ai.agent.name": short(agent),
                "gen_ai.conversation.id": self.session_id,
                "unbraid.run": self.ids.run,
                "unbraid.stream_id": stream_id,
            }
        )

    def model(self, model: str | None) -> Attributes:
        """Returns which model it was, and who serves it."""
        if model is None:
            return {}
        provider = self._provider(model)
        return {
            # The conventions want a provider always.
            "gen_ai.provider.name": PROVIDERS.get(provider or "", provider or "_OTHER"),
            "gen_ai.request.model": short(model),
        }


def usage_attributes(prefix: str, usage: Usage) -> Attributes:
    """Returns what an agent or run has used, under names of ours: with those of the conventions, a
    sum over all spans would count each message twice.
    """
    return known(
        {
            f"{prefix}.input_tokens": usage.input_tokens,
            f"{prefix}.output_tokens": usage.output_tokens,
            f"{prefix}.cache_read_tokens": usage.cache_read_tokens,
            f"{prefix}.cache_creation_tokens": usage.cache_creation_tokens,
            f"{prefix}.cost_usd": usage.cost_usd,
            f"{prefix}.estimated_usd": usage.estimated_usd,
            f"{prefix}.unpriced_tokens": usage.unpriced_tokens or None,
        }
    )
