"""The truth: which blocks the model served, under which agent, and which agent spawned which."""

from __future__ import annotations

from dataclasses import dataclass, field

from .model_request import Json


@dataclass
class Serving:
    """One answer as it went out; `complete` once its last byte was written."""

    agent: str
    turn: int
    message_id: str
    blocks: list[Json]
    t: float = 0.0
    chunks: int = 0
    complete: bool = False


@dataclass
class Ledger:
    """Every serving in order, and what is true in the end.

    A turn that was served again replaces its earlier serving: a CLI only asks again for what it has
    thrown away. A turn of which no serving was completed (an interrupt, a cut connection) is told
    whole, with `cut` on its blocks.
    """

    servings: list[Serving] = field(default_factory=list)
    children: dict[str, list[str]] = field(default_factory=dict)

    def open(self, serving: Serving, children: dict[str, list[str]]) -> None:
        """Note an answer that is about to go out, and which calls of it spawn which agents."""
        self.servings.append(serving)
        self.children.update(children)

    def kept(self) -> list[Serving]:
        """Returns the servings that count, in the order in which they began."""
        last: dict[tuple[str, int], Serving] = {}
        for serving in self.servings:
            key = (serving.agent, serving.turn)
            if key not in last or serving.complete or not last[key].complete:
                last[key] = serving
        return [s for s in self.servings if last[s.agent, s.turn] is s]

    def blocks(self) -> list[Json]:
        """Returns every block that counts: agent, turn, index, message_id, type and content."""
        return [
            {
                "agent": serving.agent,
                "turn": serving.turn,
                "index": index,
                "message_id": serving.message_id,
                "t": round(serving.t, 4),
                **block,
                **({} if serving.complete else {"cut": True}),
            }
            for serving in self.kept()
            for index, block in enumerate(serving.blocks)
        ]

    def parents(self) -> dict[str, Json]:
        """Returns each spawned agent's parent, and the call that spawned it."""
        return {
            child: {"parent": block["agent"], "tool_use_id": block["id"]}
            for block in self.blocks()
            for child in self.children.get(block.get("id", ""), ())
        }

    def truth(self) -> Json:
        """Parents and blocks, as `truth.json` has them."""
        return {"parents": self.parents(), "blocks": self.blocks()}
