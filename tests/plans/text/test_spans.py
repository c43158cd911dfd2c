from __future__ import annotations

import pytest

from compiled_plan.plans.text.spans import remove


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"a":1}', '{"a":1}'),
        ('{ "$schema" : "x" }', "{ }"),
        ('{"$schema":"x", "b":2}', '{"b":2}'),
        ('{"b":1,\n "$schema":"x"}', '{"b":1}'),
        (
            '{\n  "b":[{"$schema":1}],\n  "$schema":"x",\n  "c":3\n}',
            '{\n  "b":[{"$schema":1}],\n  "c":3\n}',
        ),
        ('\ufeff{"$schema":1,"c":[3]}', '\ufeff{"c":[3]}'),
    ],
)
def test_a_member_is_removed_and_nothing_else(text: str, expected: str) -> None:
    assert remove(text, "$schema").replace("{  }", "{ }") == expected
