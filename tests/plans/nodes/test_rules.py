"""Each node's rule: its fields and its output must follow from its inputs. One wrong plan for each rule."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import PlanError
from compiled_plan.plans.findings import Finding, Severity
from compiled_plan.plans.inspection.checked_plans import read_plan
from compiled_plan.running.plans import CompiledPlan
from tests.support.plan_files import NAMES, data_of
from tests.support.tables import failures

REMOVED = object()
TABLE = "resolvedTable"
TIMED = {"type": "TIMESTAMP_WITHOUT_TIME_ZONE", "precision": 3, "kind": "ROWTIME"}
COLUMN = {"kind": "INPUT_REF", "inputIndex": 0, "type": "INT"}
ONE = {"kind": "LITERAL", "value": 1, "type": "INT NOT NULL"}


def position(data: Any, kind: str) -> int:
    return next(at for at, item in enumerate(data["nodes"]) if item["type"].startswith(f"stream-exec-{kind}_"))


def put(data: Any, path: str, value: Any) -> None:
    """Set, or remove, the value at a path."""
    *parents, last = path.split("/")
    here = data
    for part in parents:
        here = here[int(part) if isinstance(here, list) else part]
    key = int(last) if isinstance(here, list) else last
    if value is REMOVED:
        del here[key]
    else:
        here[key] = value


def findings_of(data: Any) -> list[Finding]:
    return read_plan(data)[1]


# Case, node, place, value; the end of the pointer, and part of the message.
WRONG: list[tuple[str, str, str, Any, str, str]] = [
    # Expressions
    ("calc/null_logic_projection", "calc", "projection/0", REMOVED, "/projection", "expressions for"),
    ("calc/null_logic_projection", "calc", "projection/0/inputIndex", 9, "/projection/0/inputIndex", "no column 9"),
    ("calc/null_logic_projection", "calc", "projection/0/type", "DATE", "/projection/0/type", "says DATE"),
    ("calc/null_logic_projection", "calc", "outputType", "ROW<`a` INT>", "/projection", "expressions for 1 fields"),
    ("calc/null_logic_projection", "calc", "condition", ONE, "/condition/type", "must be BOOLEAN, not INT"),
    ("calc/array_functions", "calc", "projection/1/operands", [], "/projection/1/operands", "does not take ()"),
    ("calc/array_functions", "calc", "projection/1/internalName", "$ARRAY_DISTINC$1", "/1/internalName", "no function"),
    ("calc/array_functions", "calc", "projection/1/syntax", "FUNC", "/projection/1/syntax", "unknown value 'FUNC'"),
    ("calc/case_searched_and_simple", "calc", "projection/1/operands/0", REMOVED, "/projection/1/operands", "CASE: "),
    ("calc/like_in_between", "calc", "projection/1/operands/1/value", 5, "/operands/1/value", "5 is not of type"),
    ("structured/structured_nested", "calc", "projection/1/operands/1/value", 5, "/operands/1/value", "is not of type"),
    ("calc/json_invalid", "calc", "projection/1/operands/5/value", "x", "/operands/5/value", "is not of type"),
    ("structured/structured_group_key", "calc", "projection/0/operands/1/value", "x", "/projection/0/operands",
     "those of the type"),
    # Tables
    ("aggregate/agg_over_agg", "table-source-scan", f"scanTableSource/table/{TABLE}/schema/columns/0", REMOVED,
     "/schema/columns", "no columns"),
    ("join/three_way_inner", "table-source-scan", f"scanTableSource/table/{TABLE}/schema/columns/0", REMOVED,
     "/producedType", "and the source gives"),
    ("join/three_way_inner", "table-source-scan", f"scanTableSource/table/{TABLE}/options/path", REMOVED,
     "/options", "lacks the option 'path'"),
    ("join/three_way_inner", "table-source-scan", f"scanTableSource/table/{TABLE}/options/format", REMOVED,
     "/options", "has no format"),
    ("join/three_way_inner", "table-source-scan", f"scanTableSource/table/{TABLE}/options/connector", REMOVED,
     "/options", "has no connector"),
    ("join/three_way_inner", "table-source-scan", f"scanTableSource/table/{TABLE}/options/connector", "print",
     "/options/connector", "can only be written"),
    ("join/three_way_inner", "table-source-scan", f"scanTableSource/table/{TABLE}/options/pathh", "x",
     "/options/pathh", "has no option 'pathh'"),
    ("join/three_way_inner", "table-source-scan", "scanTableSource/table/identifier", "x", "/identifier", "no table"),
    ("changelog_normalize/upsert_reused_twice", "table-source-scan",
     f"scanTableSource/table/{TABLE}/schema/primaryKey/columns/0", "no", "/primaryKey/columns/0", "primary key"),
    ("deduplicate/dedup_then_join", "table-source-scan",
     f"scanTableSource/table/{TABLE}/schema/watermarkSpecs/0/rowtimeAttribute", "no", "/rowtimeAttribute", "no column"),
    ("join/three_way_inner", "table-source-scan", "scanTableSource/abilities/0/projectedFields/0", [9],
     "/projectedFields/0", "no column at [9]"),
    ("join/three_way_inner", "table-source-scan", "scanTableSource/abilities/0/producedType", "ROW<`a` DATE>",
     "/producedType", "produced type"),
    ("metadata_columns", "table-source-scan", "scanTableSource/abilities/0/metadataKeys/0", "no",
     "/metadataKeys/0", "no metadata 'no'"),
    ("values/select_constant", "values", "tuples/0", [], "/tuples/0", "a row of 0 values"),
    # Sinks
    ("join/three_way_inner", "sink", f"dynamicTableSink/table/{TABLE}/schema/columns/0", REMOVED,
     "/schema/columns", "the table takes"),
    ("join/three_way_inner", "sink", f"dynamicTableSink/table/{TABLE}/schema/columns/0/dataType", "DATE",
     "/schema/columns", "and input column 0"),
    ("join/three_way_inner", "sink", "outputType", "ROW<`a` INT>", "/outputType", "its input gives"),
    ("join/three_way_inner", "sink", "inputUpsertKey", [9], "/inputUpsertKey/0", "no column 9"),
    ("join/three_way_inner", "sink", f"dynamicTableSink/table/{TABLE}/options/connector", "datagen",
     "/options/connector", "can only be read"),
    ("aggregate/agg_over_agg", "sink", "inputChangelogMode", ["INSERT"], "/inputChangelogMode", "sends rows of kind"),
    ("aggregate/agg_over_agg", "sink", f"dynamicTableSink/table/{TABLE}/options/format", "json",
     "/inputChangelogMode/1", "does not take rows of kind"),
    ("join/three_way_inner", "sink", "configuration/table.exec.sink.not-null-enforcer", "SOME",
     "/table.exec.sink.not-null-enforcer", "invalid value 'SOME'"),
    ("join/three_way_inner", "sink", "requireUpsertMaterialize", True, "/state", "is missing"),
    # Rows that pass
    ("join/three_way_inner", "exchange", "outputType", "ROW<`a` DATE>", "/outputType", "its input gives"),
    ("join/three_way_inner", "exchange", "inputProperties/0/requiredDistribution/keys", [9], "/keys/0", "no column 9"),
    ("changelog_normalize/dup_distinct_union", "union", "outputType", "ROW<`a` DATE>", "/outputType", "input 0 gives"),
    ("aggregate/cube", "expand", "projects/0/0", REMOVED, "/projects/0", "2 expressions for 3 fields"),
    ("aggregate/cube", "expand", "projects", [], "/projects", "no projects"),
    ("unnest/unnest_array", "correlate", "functionCall/internalName", "$NOPE$1", "/internalName", "no table function"),
    ("unnest/unnest_array", "correlate", "functionCall/operands/0/name", "no", "/operands/0/name", "no field 'no'"),
    ("unnest/unnest_array", "correlate", "functionCall/type", "ROW<`a` DATE>", "/functionCall/type", "gives ("),
    ("set_ops/except_all", "correlate", "functionCall/operands", [], "/functionCall/operands", "does not take"),
    ("deduplicate/dedup_then_join", "watermark-assigner", "rowtimeFieldIndex", 0, "/rowtimeFieldIndex", "a time"),
    ("deduplicate/dedup_then_join", "watermark-assigner", "watermarkExpr", COLUMN, "/type", "stands where"),
    # Joins
    ("join/three_way_inner", "join", "joinSpec/leftKeys/0", 9, "/joinSpec/leftKeys/0", "no column 9"),
    ("join/three_way_inner", "join", "joinSpec/rightKeys", [], "/joinSpec/rightKeys", "keys on the left"),
    ("join/three_way_inner", "join", "joinSpec/filterNulls", [], "/joinSpec/filterNulls", "0 values for 1 keys"),
    ("join/three_way_inner", "join", "joinSpec/leftKeys/0", 1, "/joinSpec/rightKeys/0", "and the right key"),
    ("join/three_way_inner", "join", "joinSpec/nonEquiCondition", COLUMN, "/nonEquiCondition/type", "must be BOOLEAN"),
    ("join/three_way_inner", "join", "joinSpec/joinType", "SEMI", "/outputType", "the join gives"),
    ("join/three_way_inner", "join", "leftUpsertKeys", [[9]], "/leftUpsertKeys/0/0", "no column 9"),
    ("join/multi_join_same_key", "multi-join", "joinTypes/0", REMOVED, "/joinTypes", "2 values for 3 inputs"),
    ("join/multi_join_same_key", "multi-join", "inputUniqueKeys/0", [[9]], "/inputUniqueKeys/0/0/0", "no column 9"),
    ("join/multi_join_same_key", "multi-join", "joinAttributeMap/1/0/leftInputId", 7, "/leftInputId", "no input 7"),
    ("join/multi_join_same_key", "multi-join", "joinAttributeMap/1/0/rightInputId", 0, "/rightInputId", "listed for"),
    ("join/multi_join_same_key", "multi-join", "joinConditions/1/operands/0/inputIndex", 5, "/inputIndex", "no column"),
    ("interval_join/left_outer", "interval-join", "intervalJoinSpec/windowBounds/leftTimeIndex", 0,
     "/windowBounds/leftTimeIndex", "a time is needed"),
    ("temporal_join/left_versioned_upsert", "temporal-join", "leftTimeAttributeIndex", 0,
     "/leftTimeAttributeIndex", "a time is needed"),
    # Aggregates
    ("aggregate/agg_over_agg", "group-aggregate", "grouping", [9], "/grouping/0", "no column 9"),
    ("aggregate/agg_over_agg", "group-aggregate", "grouping", [], "/outputType", "it gives"),
    ("aggregate/agg_over_agg", "group-aggregate", "aggCalls", [], "/aggCallNeedRetractions", "1 values for 0 calls"),
    ("aggregate/agg_over_agg", "group-aggregate", "aggCalls/0/internalName", "$CONT$1", "/internalName", "no agg"),
    ("aggregate/agg_over_agg", "group-aggregate", "aggCalls/0/filterArg", 0, "/filterArg", "not BOOLEAN"),
    ("aggregate/agg_over_agg", "group-aggregate", "aggCalls/0/type", "DATE", "/aggCalls/0/type", "does not give DATE"),
    ("aggregate/agg_over_agg", "group-aggregate", "aggCalls/0/internalName", "$SUM$1", "/argList", "has 0 arguments"),
    ("aggregate/retract_all_functions", "group-aggregate", "needRetraction", False, "/needRetraction", "input sends"),
    ("aggregate/count_distinct_split", "global-group-aggregate", "aggCalls/0", REMOVED, "/grouping", "calls"),
    ("aggregate/count_distinct_split", "incremental-group-aggregate", "partialOriginalAggCalls", [],
     "/partialOriginalAggCalls", "not those of the local"),
    ("aggregate/count_distinct_split", "local-group-aggregate", "outputType", "ROW<`a` DATE, `b` INT>",
     "/outputType", "and the key"),
    # Top-n, deduplication, sorts
    ("topn/append_asc_nulls", "rank", "partition/fields", [9], "/partition/fields/0", "no column 9"),
    ("topn/append_asc_nulls", "rank", "orderBy/fields/0/index", 9, "/orderBy/fields/0/index", "no column 9"),
    ("topn/append_asc_nulls", "rank", "rankRange/start", 0, "/rankRange/start", "ranks begin at 1"),
    ("topn/append_asc_nulls", "rank", "rankRange/end", 0, "/rankRange/end", "before they begin"),
    ("topn/append_asc_nulls", "rank", "outputRowNumber", False, "/outputType", "its input gives"),
    ("rank_variable", "rank", "rankRange/endIndex", 9, "/rankRange/endIndex", "no column 9"),
    ("deduplicate/dedup_then_join", "deduplicate", "uniqueKeys", [9], "/uniqueKeys/0", "no column 9"),
    ("deduplicate/proctime_last_retract_consumer", "deduplicate", "isRowtime", True, "/isRowtime", "no column of its"),
    ("changelog_normalize/topn", "changelog-normalize", "uniqueKeys", [], "/uniqueKeys", "no unique keys"),
    ("sort_limit/order_by_rowtime", "temporal-sort", "orderBy/fields", [], "/orderBy/fields", "there is no order"),
    # OVER
    ("over_range", "over-aggregate", "overSpec/originalInputFields", 1, "/originalInputFields", "the input has"),
    ("over_range", "over-aggregate", "overSpec/constants", [], "/lowerBound/offset/inputIndex", "no column"),
    ("over_range", "over-aggregate", "overSpec/constants/0/value", None, "/lowerBound/offset", "cannot reach back"),
    ("over_range", "over-aggregate", "overSpec/groups/0/lowerBound/isPreceding", False, "/isPreceding", "neither"),
    ("over_range", "over-aggregate", "overSpec/groups", [], "/overSpec/groups", "there is no window"),
    # Windows
    ("window/window_dedup_first", "window-table-function", "windowing/window/size", "PT0S", "/size", "no length"),
    ("window/window_dedup_first", "window-table-function", "windowing/timeAttributeIndex", 0,
     "/windowing/timeAttributeIndex", "a time is needed"),
    ("window/window_dedup_first", "window-table-function", "windowing/isRowtime", False, "/isRowtime", "`isRowtime`"),
    ("cumulate", "local-window-aggregate", "windowing/window/step", "PT7M", "/window/maxSize", "no multiple"),
    ("window/tumble_agg", "global-window-aggregate", "windowing/sliceEnd", 0, "/sliceEnd", "which is not BIGINT"),
    ("window/tumble_agg", "global-window-aggregate", "windowing/window/size", "PT9M", "/windowing", "local aggregate"),
    ("window/tumble_agg", "global-window-aggregate", "namedWindowProperties", [], "/outputType", "it gives"),
    ("window/session_no_partition", "window-aggregate", "grouping", [9], "/grouping/0", "no column 9"),
    ("window/legacy_group_window", "group-window-aggregate", "window/timeField/fieldIndex", 1, "/fieldIndex", "a time"),
    ("window/legacy_group_window", "group-window-aggregate", "description", "W(, emit=[late])", "/description", "late"),
    ("window/legacy_group_window", "group-window-aggregate", "window/size", 5, "/window/size", "not a duration"),
    ("window/window_join_anti", "window-join", "leftWindowing/windowEnd", 0, "/leftWindowing/windowEnd", "a time"),
    ("window/window_topn_direct", "window-rank", "windowing/windowStart", 9, "/windowing/windowStart", "no column 9"),
    ("window/window_dedup_first", "window-deduplicate", "orderKey", 9, "/orderKey", "no column 9"),
    # Patterns
    ("match_recognize", "match", "matchSpec/partition/fields", [9], "/partition/fields/0", "no column 9"),
    ("match_recognize", "match", "matchSpec/measures/aid", REMOVED, "/outputType", "the pattern gives"),
    ("window/days_of_1969_and_1970", "match", "matchSpec/interval/value", "json", "/interval/value", "json"),
    ("window/days_of_1969_and_1970", "match", "matchSpec/interval/value", None, "/interval", "WITHIN needs"),
    ("match_recognize", "match", "matchSpec/orderBy/fields/0/index", 0, "/orderBy/fields/0/index", "no time attribute"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("case", "kind", "path", "value", "pointer", "text"),
    WRONG,
    ids=[f"{w[1]} {w[2]} {at}" for at, w in enumerate(WRONG)],
)
def test_a_plan_that_breaks_a_rule(case: str, kind: str, path: str, value: Any, pointer: str, text: str) -> None:
    data = data_of(case)
    at = position(data, kind)
    put(data, f"nodes/{at}/{path}", value)
    findings = [item for item in findings_of(data) if item.is_unreadable]
    messages = [(item.pointer, item.message) for item in findings]
    assert any(place.startswith(f"/nodes/{at}/") and place.endswith(pointer) for place, _ in messages), messages
    assert any(text in message for _, message in messages), messages
    assert all(item.remedy for item in findings), messages
    with pytest.raises(PlanError):
        CompiledPlan.from_dict(data)


def test_swapped_inputs() -> None:
    data = data_of("join/three_way_inner")
    join = data["nodes"][position(data, "join")]["id"]
    left_edge, right_edge = (edge for edge in data["edges"] if edge["target"] == join)
    left_edge["source"], right_edge["source"] = right_edge["source"], left_edge["source"]
    assert any("the join gives" in item.message or "right key" in item.message for item in findings_of(data))


def test_measures_stand_in_any_order() -> None:
    data = data_of("match_recognize")
    spec = data["nodes"][position(data, "match")]["matchSpec"]
    spec["measures"] = dict(reversed(spec["measures"].items()))
    assert not any(item.is_unreadable for item in findings_of(data))
    spec["measures"]["no"] = spec["measures"].pop("aid")
    assert any("'no' is no field" in item.message for item in findings_of(data))


def test_a_node_that_nothing_reads() -> None:
    data = data_of("set_ops/union_all")
    union = data["nodes"][position(data, "union")]["id"]
    first, second = (edge for edge in data["edges"] if edge["target"] == union)
    left, first["source"] = first["source"], second["source"]
    (finding,) = findings_of(data)
    assert finding.pointer == "/edges"
    assert str(left) in finding.remedy


@pytest.mark.parametrize(
    ("option", "value"),
    [("connector", "kinesis"), ("connector", "of-my-own"), ("format", "avro-glue"), ("source.path.regex-pattern", "x")],
)
def test_unsupported_options_can_be_edited_but_not_run(option: str, value: str) -> None:
    data = data_of("join/three_way_inner")
    at = position(data, "table-source-scan")
    put(data, f"nodes/{at}/scanTableSource/table/{TABLE}/options/{option}", value)
    (finding,) = findings_of(data)
    assert (finding.is_error, finding.editable) == (True, True)
    assert finding.pointer.endswith(f"/options/{option}")
    CompiledPlan.from_dict(data)


@pytest.mark.parametrize(
    ("case", "kind", "path"),
    [
        ("calc/array_functions", "calc", "projection/1/internalName"),
        ("aggregate/agg_over_agg", "group-aggregate", "aggCalls/0/internalName"),
    ],
)
def test_a_function_that_only_flink_has_can_be_edited_and_not_run(case: str, kind: str, path: str) -> None:
    data = data_of(case)
    put(data, f"nodes/{position(data, kind)}/{path}", "$OF_A_LATER_RELEASE$1")
    (finding,) = findings_of(data)
    assert (finding.editable, finding.value) == (True, "$OF_A_LATER_RELEASE$1")


def check_rules(name: str) -> None:
    plan, findings = read_plan(data_of(name))
    assert plan is not None
    assert [(item.pointer, item.message) for item in findings if not item.editable] == []


def test_every_plan_of_flink_keeps_the_rules() -> None:
    assert failures(check_rules, NAMES) == {}


PROGRAMS = sorted((Path(__file__).parents[3] / "samples/nexmark").glob("q*.sql"))


def test_every_plan_that_is_compiled_keeps_the_rules() -> None:
    tables = (PROGRAMS[0].parent / "tables.sql").read_text(encoding="utf-8")
    for program in PROGRAMS:
        plan = TableEnvironment().compile_script(tables + program.read_text(encoding="utf-8"))
        assert read_plan(plan.to_dict())[1] == []


@pytest.mark.parametrize(
    "mode",
    [
        # A source of upserts may send rows before updates, as debezium-json does; Flink checks the table only.
        ["INSERT", "UPDATE_AFTER", "DELETE"],
        # Deletes need only the key; sent rows have all columns.
        ["INSERT", "UPDATE_AFTER", "~DELETE"],
        ["INSERT", "UPDATE_BEFORE", "UPDATE_AFTER", "~DELETE"],
    ],
)
def test_a_sink_of_changes_takes_every_kind(mode: list[str]) -> None:
    data = data_of("aggregate/agg_over_agg")
    put(data, f"nodes/{position(data, 'sink')}/inputChangelogMode", mode)
    assert findings_of(data) == []
    assert CompiledPlan.from_dict(data).to_dict()["nodes"][position(data, "sink")]["inputChangelogMode"] == mode


def test_a_duplicate_change_kind_in_another_spelling() -> None:
    data = data_of("aggregate/agg_over_agg")
    put(data, f"nodes/{position(data, 'sink')}/inputChangelogMode", ["INSERT", "UPDATE_AFTER", "DELETE", "~DELETE"])
    (finding,) = findings_of(data)
    assert "twice" in finding.message


#: An ability of a scan, and part of the message: such a plan can be edited, but not run here.
NOT_RUN = [
    (
        {"type": "SourceWatermark", "sourceWatermarkEnabled": True, "producedType": "ROW<`a` INT> NOT NULL"},
        "SourceWatermark",
    ),
    (
        {
            "type": "AggregatePushDown",
            "inputType": "ROW<`a` INT> NOT NULL",
            "groupingSets": [[0]],
            "aggregateCalls": [],
            "producedType": "ROW<`a` INT> NOT NULL",
        },
        "AggregatePushDown",
    ),
]


@pytest.mark.parametrize(
    ("ability", "message"), NOT_RUN, ids=lambda item: item["type"] if isinstance(item, dict) else ""
)
def test_source_abilities_that_do_not_run_are_refused_by_name(ability: dict[str, Any], message: str) -> None:
    data = data_of("aggregate/agg_over_agg")
    data["nodes"][position(data, "table-source-scan")]["scanTableSource"]["abilities"] = [ability]
    finding = findings_of(data)[0]
    assert (finding.severity, finding.pointer) == (Severity.ERROR, "/nodes/0/scanTableSource/abilities/0")
    assert ability["type"] in finding.message and message in finding.message


@pytest.mark.parametrize(
    ("ability", "keyed", "runs"),
    [
        ({"type": "Partitioning", "partition": {"a": "1"}}, False, True),
        ({"type": "TargetColumnWriting", "targetColumns": [[0]]}, False, True),
        # The other columns of an updated row would keep their values.
        ({"type": "TargetColumnWriting", "targetColumns": [[0]]}, True, False),
        ({"type": "Overwrite", "overwrite": True}, False, False),
        ({"type": "Bucketing"}, False, False),
    ],
)
def test_sink_abilities_that_do_not_run_are_refused_by_name(ability: dict[str, Any], keyed: bool, runs: bool) -> None:
    data = data_of("aggregate/agg_over_agg")
    at = position(data, "sink")
    sink = data["nodes"][at]["dynamicTableSink"]
    sink["abilities"] = [ability]
    schema = sink["table"]["resolvedTable"]["schema"]
    schema.pop("primaryKey", None)
    if keyed:
        schema["primaryKey"] = {"name": "PK", "type": "PRIMARY_KEY", "columns": [schema["columns"][0]["name"]]}
    findings = [finding for finding in findings_of(data) if "ability" in finding.message]
    assert [(finding.severity, finding.pointer) for finding in findings] == (
        [] if runs else [(Severity.ERROR, f"/nodes/{at}/dynamicTableSink/abilities/0")]
    )


def test_a_watermark_of_the_source_itself_does_not_run() -> None:
    data = data_of("deduplicate/dedup_then_join")
    at = position(data, "watermark-assigner")
    type_ = data["nodes"][at]["watermarkExpr"]["type"]
    own = {"kind": "CALL", "internalName": "$SOURCE_WATERMARK$1", "type": type_}
    put(data, f"nodes/{at}/watermarkExpr", own)
    (finding,) = findings_of(data)
    assert (finding.severity, finding.pointer) == (Severity.ERROR, f"/nodes/{at}/watermarkExpr/internalName")


def test_partitions_of_columns_that_the_table_is_not_partitioned_by() -> None:
    data = data_of("aggregate/agg_over_agg")
    ability = {"type": "PartitionPushDown", "partitions": [{"nope": "1"}]}
    data["nodes"][position(data, "table-source-scan")]["scanTableSource"]["abilities"] = [ability]
    (finding,) = findings_of(data)
    assert finding.pointer.endswith("/abilities/0/partitions/0/nope")


def test_functions_of_flink_that_do_not_run_are_refused_by_name() -> None:
    data = data_of("calc/null_logic_projection")
    at = position(data, "calc")
    call = {"kind": "CALL", "internalName": "$ML_PREDICT$1", "operands": [], "type": "BITMAP"}
    put(
        data,
        f"nodes/{at}/projection/0",
        {
            "kind": "CALL",
            "internalName": "$BITMAP_CARDINALITY$1",
            "operands": [call],
            "type": data["nodes"][at]["projection"][0]["type"],
        },
    )
    finding = findings_of(data)[0]
    assert finding.severity is Severity.ERROR
    assert finding.message == "ML_PREDICT does not run here"
