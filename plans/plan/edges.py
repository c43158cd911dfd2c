"""Edges between the nodes of a plan."""

from __future__ import annotations

from typing import Literal

from compiled_plan.plans.nodes.model import Int, PlanModel


class Shuffle(PlanModel):
    """Distribution of rows along an edge; FORWARD in all streaming plans (exchanges are nodes)."""

    type: Literal["ANY", "HASH", "BROADCAST", "FORWARD", "SINGLETON"]
    keys: tuple[Int, ...] | None = None


FORWARD = Shuffle.model_construct(type="FORWARD", keys=None)


class Edge(PlanModel):
    """Node `source` feeds node `target`; a target's edges stand in the order of its inputs."""

    source: Int
    target: Int
    shuffle: Shuffle
    shuffle_mode: Literal["PIPELINED", "BATCH", "HYBRID_FULL", "HYBRID_SELECTIVE", "UNDEFINED"]

    @classmethod
    def between(cls, source: int, target: int) -> Edge:
        """A pipelined FORWARD edge, as in all streaming plans."""
        return cls.model_construct(source=source, target=target, shuffle=FORWARD, shuffle_mode="PIPELINED")
