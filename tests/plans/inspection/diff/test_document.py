"""A difference as a JSON document, against its schema."""

from __future__ import annotations

import json

import jsonschema
import pytest

from compiled_plan import schemas
from compiled_plan.plans.inspection.diff.advice import advice
from compiled_plan.plans.inspection.diff.document import Side, document, to_json
from compiled_plan.plans.inspection.diff.model import Change, PlanDiff
from compiled_plan.plans.inspection.judging.verdicts import Verdict
from tests.plans.inspection.diff.samples import BROKEN, SAME, SOURCES, everything
from tools.document_schemas import SCHEMAS, text

OLD, NEW = Side(name="old.json", kind="plan"), Side(name="dir", kind="checkpoint")


def values(diff: PlanDiff) -> dict[str, object]:
    return json.loads(to_json(document(diff, OLD, NEW, advice(diff))))


@pytest.mark.parametrize("name", SCHEMAS)
def test_the_schema_file_is_up_to_date(name: str) -> None:
    assert schemas.schema_path(name).read_text(encoding="utf-8") == text(name), "run `make schema`"
    jsonschema.Draft202012Validator.check_schema(schemas.load(name))


@pytest.mark.parametrize("diff", [SAME, everything(), everything(BROKEN), PlanDiff((), (), ())])
def test_documents_follow_the_schema(diff: PlanDiff) -> None:
    validator = jsonschema.Draft202012Validator(schemas.load(schemas.DIFF))
    assert [error.message for error in validator.iter_errors(values(diff))] == []


def test_the_schema_refuses_invalid_documents() -> None:
    validator = jsonschema.Draft202012Validator(schemas.load(schemas.DIFF))
    for change in ({"version": 2}, {"verdict": "fine"}, {"operators": [{}]}, {"same": "no"}):
        assert not validator.is_valid(values(everything()) | change), change


def test_the_schema_names_every_change_and_verdict() -> None:
    defs = schemas.load(schemas.DIFF)
    text = json.dumps(defs)
    for verdict in Verdict:
        assert f'"{verdict.name.lower()}"' in text
    assert defs["$defs"]["Operator"]["properties"]["change"]["enum"] == [
        "kept",
        "moved",
        "changed",
        "added",
        "removed",
        "ttlChanged",
    ]
    assert len(Change) == 6


def test_values_of_the_document() -> None:
    document = values(everything(BROKEN, verdict=Verdict.INCOMPATIBLE))
    assert (document["version"], document["same"], document["verdict"]) == (1, False, "incompatible")
    assert document["new"] == {"name": "dir", "kind": "checkpoint", "refusals": []}
    operators = {operator["uid"]: operator for operator in document["operators"]}  # type: ignore[attr-defined]
    assert operators["limit-a-6"]["change"] == "ttlChanged"
    assert operators["limit-a-6"]["ttls"] == [{"index": 0, "entry": "rankState", "oldMs": 5, "newMs": 0}]
    assert operators["aggregate-a-3"]["oldUid"] == "aggregate-a-old"
    assert operators["dedup-a-4"]["oldNode"] is None and operators["dedup-a-4"]["newNode"] == 4
    assert operators["aggregate-b-7"]["edits"][0]["verdict"] == "incompatible"


def test_passwords_are_hidden() -> None:
    text = json.dumps(values(PlanDiff((), SOURCES, ())))
    assert "******" in text and "secret" not in text and "hush" not in text
