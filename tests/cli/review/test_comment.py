from __future__ import annotations

from compiled_plan.cli.review.comment import comment, shortened
from compiled_plan.cli.review.reviewing import Result, Reviewed

GRAPH = "<details><summary>graph</summary>\n\n```mermaid\nflowchart LR\n```\n\n</details>"


def test_the_worst_comes_first_and_remarks_are_escaped() -> None:
    text = comment(
        [
            Reviewed("b.sql", Result.FULL, "### `b.sql`: b"),
            Reviewed("same.sql", Result.SAME, "", notes=("a | b", "<c>")),
            Reviewed("a.sql", Result.INCOMPATIBLE, "### `a.sql`: a"),
        ]
    )
    assert text.startswith(
        "## Plans: incompatible: of 3 programs 1 incompatible, 1 fully compatible, 1 no difference\n"
    )
    assert "| `same.sql` | no difference | a \\| b<br>\\<c> |" in text
    assert text.index("### `a.sql`") < text.index("### `b.sql`")


def test_a_long_comment_loses_its_graphs_and_then_its_end() -> None:
    parts = [f"part {at}\n\n<details><summary>1 source kept</summary>\n\n</details>\n\n{GRAPH}\n" for at in range(50)]
    text = "\n".join(parts)
    assert shortened(text, len(text)) == text
    without = shortened(text, len(text) - 1)
    assert "mermaid" not in without and without.count("part") == 50 and without.count("<details>") == 50
    assert "left out" not in without.splitlines()[0]
    cut = shortened(text, 400)
    assert len(cut) <= 400 and cut.startswith("part 0\n") and "has all of it" in cut.splitlines()[-1]
    assert len(shortened(text.replace("kept", "→ → →"), 400).encode()) <= 400
