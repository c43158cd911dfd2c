"""The sample of the Table API has the plan of the equivalent SQL."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from compiled_plan import TableEnvironment
from compiled_plan.compiling.python_programs import compile_program
from tests.support.table_api import same

PROGRAM = Path(__file__).parents[2] / "samples" / "table_api.py"

FILES = "WITH ('connector' = 'filesystem', 'path' = '{}', 'format' = 'json')"
SCRIPT = f"""
CREATE TEMPORARY TABLE clicks (event_id BIGINT, page STRING, millis INT, ts AS TO_TIMESTAMP_LTZ(event_id, 0),
  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) {FILES.format("data/deduplicate_aggregate/clicks")};
CREATE TEMPORARY TABLE orders (order_id INT, line_order_id INT) {FILES.format("data/orders_shipments/orders")};
CREATE TEMPORARY TABLE lines (line_order_id INT, ship_mode STRING) {FILES.format("data/orders_shipments/line_orders")};
CREATE TEMPORARY TABLE top_pages (hour_ TIMESTAMP(3), page STRING, clicks BIGINT, slowest INT, place BIGINT)
  {FILES.format("out/table_api/top_pages")};
CREATE TEMPORARY TABLE by_air (order_id INT, ship_mode STRING) {FILES.format("out/table_api/by_air")};
EXECUTE STATEMENT SET BEGIN
INSERT INTO top_pages SELECT window_start, page, clicks, slowest, place FROM (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end ORDER BY clicks DESC, page) AS place FROM (
    SELECT window_start, window_end, page, COUNT(1) AS clicks, MAX(millis) AS slowest
    FROM TABLE(TUMBLE(TABLE clicks, DESCRIPTOR(ts), INTERVAL '1' HOURS)) GROUP BY window_start, window_end, page))
WHERE place <= 3;
INSERT INTO by_air SELECT /*+ STATE_TTL('orders' = '1 h', 'lines' = '2 h') */ order_id, ship_mode
FROM orders JOIN (SELECT * FROM lines WHERE ship_mode = 'AIR') AS lines ON orders.line_order_id = lines.line_order_id;
END
"""


def test_the_sample_has_the_plan_of_its_sql(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "table_api", raising=False)
    plan = compile_program(TableEnvironment(), PROGRAM)
    same(plan.to_json(), TableEnvironment().compile_script(SCRIPT).to_json())
    assert [(entry.name, entry.ttl) for node in plan.nodes for entry in node.state_entries] == [
        ("leftState", "1 h"),
        ("rightState", "2 h"),
    ]
