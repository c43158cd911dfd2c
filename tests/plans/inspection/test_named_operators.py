"""Operators by name: a name of none gets the names that there are."""

from __future__ import annotations

from compiled_plan.plans.inspection.named_operators import NamedOperator, operator_named, suggested

KNOWN = (
    NamedOperator("join-orders-shops-3f2a", 4, "join"),
    NamedOperator("multi-join-a-b-c", 9, "multi-join"),
    NamedOperator("group-aggregate-orders-81", 6, "group-aggregate"),
    NamedOperator("9", 12, "rank"),
)


def test_a_uid_precedes_the_id_of_a_node() -> None:
    named = [operator_named(name, KNOWN) for name in ("join-orders-shops-3f2a", "6", "9", "join", "")]
    assert [operator and operator.node for operator in named] == [4, 6, 12, None, None]


def test_a_name_of_no_operator_gets_suggestions() -> None:
    assert suggested("join-orders-shop-3f2a", KNOWN) == "did you mean `join-orders-shops-3f2a`?"
    assert suggested("JOIN", KNOWN).endswith(
        ": `join-orders-shops-3f2a` (join, node 4), `multi-join-a-b-c` (multi-join, node 9)"
    )
    assert suggested("x", KNOWN).count("`") == 2 * len(KNOWN)
    assert suggested("x", [NamedOperator(f"uid-{at:02d}") for at in range(40)]).endswith("`uid-11`, and 28 more")
    assert "none has state" in suggested("x", ())
