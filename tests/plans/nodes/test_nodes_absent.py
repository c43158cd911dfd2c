"""Optional fields of plans: the reader, the JSON Schema and the check follow Flink's constructors."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from compiled_plan.plans.findings import Finding, Severity
from compiled_plan.plans.inspection.check import check
from compiled_plan.plans.inspection.checked_plans import plan_from_dict
from compiled_plan.plans.inspection.schema import schema_findings
from compiled_plan.plans.nodes.read import read_node
from compiled_plan.plans.nodes.registry import all_node_types
from tests.historical.cases import PACKED
from tests.support.plan_files import ALL, data_of
from tests.support.tiers import but_wide

pytestmark = pytest.mark.slow

#: Arguments of the `@JsonCreator` constructors of Flink 2.3 that may be null, and the default of the node;
#: `preferCustomShuffle` and `requireUpsertMaterialize` are flags that are false where a release did not write them.
NULLABLE: dict[str, dict[str, Any]] = {
    "calc": {"condition": None},
    "changelog-normalize": {"filterCondition": None},
    "correlate": {"condition": None},
    "deduplicate": {"outputInsertOnly": False},
    "global-group-aggregate": {"indexOfCountStar": None},
    "global-window-aggregate": {"needRetraction": False},
    "local-window-aggregate": {"needRetraction": False},
    "lookup-join": {
        "asyncOptions": None,
        "filterOnTemporalTable": None,
        "inputChangelogMode": (),
        "inputUpsertKey": (),
        "joinCondition": None,
        "preFilterCondition": None,
        "preferCustomShuffle": False,
        "projectionOnTemporalTable": None,
        "requireUpsertMaterialize": False,
        "retryOptions": None,
    },
    "over-aggregate": {"unboundedOverVersion": 1},
    "sink": {
        "conflictStrategy": None,
        "inputUpsertKey": (),
        "requireUpsertMaterialize": False,
        "upsertMaterializeStrategy": None,
    },
    "window-aggregate": {"needRetraction": False},
}
#: Fields of all nodes that Flink requires in a plan.
REQUIRED = ("id", "type", "outputType", "description")
#: Programs whose plans of each release are checked in `make test`.
SHORT = ("multi_join", "lookups")
OF_OLDER_RELEASES = sorted((PACKED / "flink").glob("*/*.json"))


def errors(data: Any) -> list[Finding]:
    return [finding for finding in check(json.dumps(data)) if finding.severity is Severity.ERROR]


@pytest.mark.parametrize("kind", NULLABLE)
def test_a_field_that_may_be_null_has_the_default_of_flink(kind: str) -> None:
    models = [model for model in all_node_types().values() if f"stream-exec-{kind}" == model.NAME]
    assert models
    for model in models:
        fields = {info.alias or name: info for name, info in model.model_fields.items()}
        assert {name: fields[name].default for name in NULLABLE[kind]} == NULLABLE[kind]


@pytest.mark.parametrize("how", ["absent", "null"])
def test_a_plan_without_such_a_field_is_read_and_fits_the_schema(how: str) -> None:
    seen: set[tuple[str, str]] = set()
    for path in ALL:
        data = json.loads(path.read_text(encoding="utf-8"))
        for node in data["nodes"]:
            kind = node["type"].removeprefix("stream-exec-").rpartition("_")[0]
            for name in NULLABLE.get(kind, {}).keys() & node.keys():
                if (kind, name) in seen:
                    continue
                changed = copy.deepcopy(node)
                changed[name] = None
                if how == "absent":
                    del changed[name]
                read, findings = read_node(changed, 0)
                assert read is not None, findings
                assert schema_findings({**data, "nodes": [changed]}) == [], (kind, name)
                seen.add((kind, name))
    assert len(seen) > 10


@pytest.mark.parametrize("name", REQUIRED)
def test_a_field_that_flink_requires_is_missed_by_the_reader_and_the_schema(name: str) -> None:
    data = data_of("join/state_ttl_hint_join")
    del data["nodes"][0][name]
    assert f"/nodes/0/{name}" in [finding.pointer for finding in errors(data)]
    assert f"/nodes/0/{name}" in [finding.pointer for finding in schema_findings(data)]


def test_tables_of_descriptors_have_no_identifier() -> None:
    data = data_of("join/three_way_inner")
    tables = [
        node[key]["table"] for node in data["nodes"] for key in ("scanTableSource", "dynamicTableSink") if key in node
    ]
    for table in tables:
        del table["identifier"]
    assert errors(data) == []
    plan = plan_from_dict(data)
    assert [node for node in json.loads(plan.to_json())["nodes"] if "identifier" in str(node)] == []
    names = [table.identifier for node in plan.nodes for _, table in node.tables()]
    # By the table's descriptor, not its position: two of one descriptor are one table, and a restart finds it again.
    assert len(set(names)) == len({json.dumps(table) for table in tables}) > 1
    assert names == [table.identifier for node in plan_from_dict(data).nodes for _, table in node.tables()]


@pytest.mark.parametrize(
    "path",
    but_wide(OF_OLDER_RELEASES, lambda path: path.stem in SHORT),
    ids=lambda path: f"{path.parent.name}-{path.stem}",
)
def test_plans_of_older_releases_have_no_errors(path: Path) -> None:
    findings = errors(json.loads(path.read_text(encoding="utf-8")))
    assert [finding for finding in findings if not finding.editable] == []
    # Unsupported nodes are refused by name.
    assert {finding.value for finding in findings} <= {"stream-exec-sort_1"}
