"""Kinds of change, a YAML file per family of operators, for the table in `docs/reference/changes.md` and its tests.

Flink's verdict is that of `diff-plan --for flink` for the plans of both programs and a savepoint of the old one: state
belongs to an operator by the number and the type of its node in the plan ("Configuration", `table.exec.uid.format`),
is restored if the types of keys and values match ("State Schema Evolution"), whatever they mean, and a savepoint with
unclaimed state is refused ("Savepoints"); "the framework cannot guarantee that state can be mapped" to a
changed query ("Streaming Concepts"). A filter or a projection in front is an additional node, hence
refused; if there was one already the result is silently wrong.

Spark's verdict follows the Structured Streaming guide ("Recovery Semantics after Changes in a Streaming
Query"), for an equivalent query: filters and projections may change, the number and the type of grouping keys
and aggregates may not and are checked, their columns are not checked; the schema and keys of a join and its type may
not change, "other changes in the join condition are ill-defined"; sources and sinks of another number or type may not.
There is no such query ("-") if Spark has no such operator in streams, as rankings, OVER, MATCH_RECOGNIZE, and
upserts from a source, or has no TTL.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from compiled_plan.plans.inspection.judging.verdicts import Verdict
from tests.upgrades.kinds.model import TABLES, UPSERTED, Elsewhere, Kind, upserted

_VERDICTS: Mapping[str, Any] = {"state": Verdict, "plan": Verdict, "flink": Elsewhere, "spark": Elsewhere}
#: Verdicts on a program that does not change.
_UNCHANGED = {"state": "full", "flink": "restored", "spark": "absent"}


def _kinds(family: str) -> Iterator[Kind]:
    """The kinds of a file. Its fields are those of `Kind`; `query` and `tables` are the old and the new program's."""
    text = Path(__file__).with_name(f"{family}.yaml").read_text()
    for name, fields in yaml.load(text, yaml.CSafeLoader).items():
        query, tables = fields.pop("query", None), fields.pop("tables", ())
        yield Kind(
            name,
            fields.pop("change", "nothing"),
            fields.pop("old", query),
            fields.pop("new", query),
            tables=(_declared(fields.pop("old tables", tables)), _declared(fields.pop("new tables", tables))),
            **{key: _VERDICTS[key][word.upper()] for key, word in fields.pop("verdict", _UNCHANGED).items()},
            **{key: _frozen(field) for key, field in fields.items()},
        )


def _declared(tables: Sequence[str | Mapping[str, str]]) -> str:
    """Statements in front of a program: as text, or the columns that a table has instead of its usual ones."""
    pairs = [(table, "") if isinstance(table, str) else next(iter(table.items())) for table in tables]
    return "".join(_with_columns(name, columns) if columns else f"{name}\n" for name, columns in pairs)


def _with_columns(name: str, columns: str) -> str:
    if name == UPSERTED:
        return upserted(columns)
    head, rest = TABLES[name].split("(", 1)
    return f"{head}({columns}{rest[rest.index(') WITH (') :]}"


def _frozen(field: Any) -> Any:
    return tuple(map(_frozen, field)) if isinstance(field, list) else field


FAMILIES: dict[str, tuple[Kind, ...]] = {
    "Around the operators": tuple(_kinds("surroundings")),
    "Tables that are read and written": tuple(_kinds("tables")),
    "Aggregates": tuple(_kinds("aggregates")),
    "Joins": tuple(_kinds("joins")),
    "Deduplication, top-n, upserts": tuple(_kinds("ranks")),
    "OVER": tuple(_kinds("over")),
    "Windows": tuple(_kinds("windows")),
    "Interval joins, temporal joins, MATCH_RECOGNIZE": tuple(_kinds("matches")),
    "New operators over tables that were read before, with `--warm-up all`": tuple(_kinds("filled")),
}
KINDS: tuple[Kind, ...] = tuple(kind for family in FAMILIES.values() for kind in family)
#: Programs that do not change and have pending timers.
TIMERS: tuple[Kind, ...] = tuple(_kinds("timers"))
