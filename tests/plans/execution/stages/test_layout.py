"""Stages of a plan: depths, entries, and the rows that pass each stage."""

from __future__ import annotations

from compiled_plan.plans.execution.stages.layout import Port, lay_out

SOURCE, OTHER, AGGREGATE, JOIN, SINK = 1, 2, 10, 20, 30


def test_a_plan_without_state_has_no_stage() -> None:
    layout = lay_out({SOURCE: frozenset({Port(SINK, 0, writes=True)})}, frozenset({SOURCE}))
    assert layout.stages == ()
    assert layout.entries == {SOURCE: 1}
    assert layout.last == 1
    assert layout.arriving(1) == (Port(SINK, 0, writes=True),)


def test_rows_for_a_deeper_operator_pass_the_stage_above() -> None:
    """A source of an aggregate and of the join above it is read once and enters in front of stage 1."""
    layout = lay_out(
        {
            SOURCE: frozenset({Port(AGGREGATE, 0), Port(JOIN, 1)}),
            AGGREGATE: frozenset({Port(JOIN, 0)}),
            JOIN: frozenset({Port(SINK, 0, writes=True)}),
        },
        frozenset({SOURCE}),
    )
    assert layout.stages == ((AGGREGATE,), (JOIN,))
    assert layout.entries == {SOURCE: 1}
    assert layout.passing(1) == (Port(JOIN, 1),)
    assert layout.arriving(2) == (Port(JOIN, 0), Port(JOIN, 1))
    assert layout.passing(2) == ()


def test_a_source_enters_where_it_is_first_needed() -> None:
    """A source of the join only does not pass the aggregate's stage."""
    layout = lay_out(
        {
            SOURCE: frozenset({Port(AGGREGATE, 0)}),
            OTHER: frozenset({Port(JOIN, 1)}),
            AGGREGATE: frozenset({Port(JOIN, 0)}),
            JOIN: frozenset({Port(SINK, 0, writes=True)}),
        },
        frozenset({SOURCE, OTHER}),
    )
    assert layout.entries == {SOURCE: 1, OTHER: 2}
    assert layout.arriving(1) == (Port(AGGREGATE, 0),)
    assert layout.passing(1) == ()


def test_operators_of_one_depth_share_a_stage() -> None:
    layout = lay_out(
        {
            SOURCE: frozenset({Port(AGGREGATE, 0), Port(11, 0)}),
            AGGREGATE: frozenset({Port(SINK, 0, writes=True)}),
            11: frozenset({Port(31, 0, writes=True)}),
        },
        frozenset({SOURCE}),
    )
    assert layout.stages == ((AGGREGATE, 11),)
    assert layout.arriving(2) == (Port(SINK, 0, writes=True), Port(31, 0, writes=True))


def test_a_sink_that_also_gets_rows_from_above_makes_them_pass() -> None:
    layout = lay_out(
        {
            SOURCE: frozenset({Port(AGGREGATE, 0), Port(SINK, 0, writes=True)}),
            AGGREGATE: frozenset({Port(SINK, 0, writes=True)}),
        },
        frozenset({SOURCE}),
    )
    assert layout.passing(1) == (Port(SINK, 0, writes=True),)


def test_a_sink_that_materialises_is_hosted_and_written() -> None:
    """Its materializer keeps state in a stage; its output goes to the sink's writing end."""
    written = Port(SINK, 0, writes=True)
    layout = lay_out({SOURCE: frozenset({Port(SINK, 0)}), SINK: frozenset({written})}, frozenset({SOURCE}))
    assert layout.stages == ((SINK,),)
    assert layout.arriving(1) == (Port(SINK, 0),)
    assert layout.arriving(2) == (written,)
    assert written.column != Port(SINK, 0).column
    assert Port(SINK, 0).hosts(SINK)
    assert not written.hosts(SINK)
