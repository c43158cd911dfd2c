"""Plans in a notebook."""

from __future__ import annotations

import re
from base64 import b64decode

import compiled_plan as cp
from compiled_plan.plans.inspection.graph.drawing import Drawing
from compiled_plan.plans.inspection.graph.svg import to_svg

PROGRAM = """
CREATE TABLE orders (`<b>` STRING, price INT) WITH (
  'connector' = 'jdbc', 'url' = 'jdbc:postgresql://db/shop?password=open-sesame', 'table-name' = 'orders',
  'username' = 'me', 'password' = 'open-sesame');
CREATE TABLE totals (name STRING PRIMARY KEY NOT ENFORCED, total INT) WITH ('connector' = 'blackhole');
INSERT INTO totals SELECT /*+ STATE_TTL('orders' = '2 d') */ `<b>`, SUM(price) FROM orders GROUP BY `<b>`;
"""


def test_a_plan_is_one_image_without_requests_and_secrets() -> None:
    plan = cp.compile_sql(PROGRAM)
    assert repr(plan) == "CompiledPlan(3 operators, 1 with state)"
    html = plan._repr_html_()
    image = re.fullmatch(
        r'<div style="[\w: ;-]+"><img src="data:image/svg\+xml;base64,([\w+/=]+)" alt="CompiledPlan\([\w, ]+\)" '
        r'style="[\w: -]+"></div>',
        html,
    )
    assert image is not None
    svg = b64decode(image[1]).decode()
    assert svg == to_svg(Drawing.of(plan)), "the drawing of the commands"
    assert "groupAggregateState: 2 d" in svg
    assert "open-sesame" not in svg + html
    assert re.findall(r"https?://\S+?(?=\")", svg) == ["http://www.w3.org/2000/svg"]
    assert "<b>" not in svg
