"""Programs in the manner of PyFlink's documentation compile: each query of `programs/` becomes a plan."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from compiled_plan.api.table import Table
from compiled_plan.plans.errors import UnsupportedError
from compiled_plan.pyflink import EnvironmentSettings, StreamTableEnvironment, TableEnvironment
from compiled_plan.pyflink.common import Configuration

PROGRAMS = Path(__file__).with_name("programs")
#: Programs whose results are rows of queries alone.
QUERIES = ("columns", "groups", "joins", "ordering", "streams", "values", "windows")


class Planned:
    """A result without rows."""

    @contextmanager
    def collect(self) -> Iterator[list[Any]]:
        yield []


@pytest.mark.parametrize("name", QUERIES)
def test_queries_compile(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plans: list[str] = []
    monkeypatch.setattr(Table, "execute", lambda table: plans.append(table.explain()) or Planned())
    program: dict[str, Any] = {}
    exec(compile(PROGRAMS.joinpath(f"{name}.py").read_text("utf-8"), name, "exec"), program)
    program["main"](str(tmp_path))
    assert plans and all(plans)


def test_batch_mode_is_refused_with_a_way_to_the_final_rows() -> None:
    batch = Configuration().set_string("execution.runtime-mode", "BATCH")
    for create in (
        EnvironmentSettings.in_batch_mode,
        lambda: TableEnvironment.create(batch),
        EnvironmentSettings.new_instance().with_configuration(batch).build,
    ):
        with pytest.raises(UnsupportedError, match=r"batch mode is not supported(.|\n)*to_pandas\(\)"):
            create()


def test_streams_are_refused_by_name() -> None:
    t_env = StreamTableEnvironment.create()
    with pytest.raises(UnsupportedError, match=r"to_data_stream\(\) is not supported: the DataStream API"):
        t_env.to_data_stream(t_env.from_elements([(1,)]))
