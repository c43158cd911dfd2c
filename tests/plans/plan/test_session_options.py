"""The time zone of a plan."""

from __future__ import annotations

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.nodes.match import Match
from compiled_plan.plans.plan.session_options import reads_zone

PATTERN = """
CREATE TABLE clicks (shop STRING, seen TIMESTAMP_LTZ(3), at1 TIMESTAMP(3), WATERMARK FOR at1 AS at1)
  WITH ('connector' = 'datagen');
CREATE TABLE pairs (shop STRING, seen TIMESTAMP_LTZ(3)) WITH ('connector' = 'print');
INSERT INTO pairs SELECT shop, seen FROM clicks MATCH_RECOGNIZE (PARTITION BY shop ORDER BY at1
  MEASURES B.seen AS seen AFTER MATCH SKIP PAST LAST ROW PATTERN (A B) DEFINE B AS {});
"""


def test_the_definitions_of_a_pattern_read_the_time_zone() -> None:
    for definition, reads in (("CAST(B.seen AS DATE) > CAST(A.seen AS DATE)", True), ("B.seen > A.seen", False)):
        plan = TableEnvironment().compile_script(PATTERN.format(definition))
        assert [reads_zone(node) for node in plan.nodes if isinstance(node, Match)] == [reads]
