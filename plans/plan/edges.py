"""Edges of plans: which node's rows another reads."""

from __future__ import annotations

from typing import Literal

from compiled_plan.plans.nodes.model import Int, PlanModel


class Shuffle(PlanModel):
    """How rows travel along an edge; FORWARD in all streaming plans (exchanges are nodes)."""

    type: Literal["ANY", "HASH", "BROADCAST", "FORWARD", "SINGLETON"]
    keys: tuple[Int, ...] | None = None


FORWARD = Shuffle.model_construct(type="FORWARD", keys=None)


class Edge(PlanModel):
    """The output of node `source` is an input of node `target`; a target's edges stand in the order of its inputs."""

    source: Int
    target: Int
    shuffle: Shuffle
    shuffle_mode: Literal["PIPELINED", "BATCH", "HYBRID_FULL", "HYBRID_SELECTIVE", "UNDEFINED"]

    @classmethod
    def between(cls, source: int, target: int) -> Edge:
        """The edge that all streaming plans have."""
        return cls.model_construct(source=source, target=target, shuffle=FORWARD, shuffle_mode="PIPELINED")
