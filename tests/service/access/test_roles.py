from __future__ import annotations

from compiled_plan.service.access.roles import Role


def test_each_role_includes_the_lower_roles() -> None:
    assert [[role.may(required) for required in Role] for role in Role] == [
        [True, False, False],
        [True, True, False],
        [True, True, True],
    ]
