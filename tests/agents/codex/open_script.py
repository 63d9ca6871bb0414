"""A script for Codex that does not depend on how often the model is asked."""

from __future__ import annotations

from unbraid.testing import Script, ScriptedModel, ScriptedText, Turn


class OpenScript:
    """A script whose main agent gets its next answers when its next prompt is sent.

    How often Codex asks is up to it: once more when a sub-agent has ended, or not. Then it is given
    words that say so.
    """

    def __init__(self, *kid: Turn) -> None:
        self._main: list[Turn] = []
        self.script = Script({"main": self._main, "kid": kid})

    def add(self, model: ScriptedModel, *turns: Turn) -> None:
        """Gives it these answers next, in place of those that nobody has asked for."""
        asked = self._asked(model)
        self._main[:] = [self.script.turn("main", number) for number in range(asked)]
        self._main += turns

    def said(self, model: ScriptedModel, since: int) -> str:
        """Returns what the main agent has said, from its answer of that number on."""
        turns = [self.script.turn("main", number) for number in range(since, self._asked(model))]
        blocks = [block for turn in turns for block in turn.blocks]
        return "".join(block.text for block in blocks if isinstance(block, ScriptedText))

    def _asked(self, model: ScriptedModel) -> int:
        served = [each.turn for each in model.ledger.servings if each.agent == "main"]
        return 1 + max(served, default=-1)
