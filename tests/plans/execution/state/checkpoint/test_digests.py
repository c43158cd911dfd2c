"""Digests of Spark's logs: damages are refused, and every state that a killed process leaves is accepted."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import pytest

from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.execution.spark.storage import LocalFolder
from compiled_plan.plans.execution.state.checkpoint.clock import BatchClock
from compiled_plan.plans.execution.state.checkpoint.digests import read_digests, record, rewrite, seal
from compiled_plan.plans.execution.state.checkpoint.losses import check_generation
from compiled_plan.plans.execution.state.checkpoint.store import Store
from compiled_plan.plans.execution.state.checkpoint.written import Written, write_written
from compiled_plan.plans.inspection.checkpoints import DIGESTS, digest_of, sealed
from tests.plans.execution.state.upgrade.checkpoints import compiled, started
from tests.support.tiers import but_wide

PLAN = compiled("INSERT INTO totals SELECT shop, SUM(price) FROM orders GROUP BY shop")
STATE = "state/0/_metadata/v2/0"


@pytest.fixture
def generation(tmp_path: Path) -> LocalFolder:
    """A generation with digests and three micro-batches."""
    started(tmp_path, PLAN, batches=3)
    folder = LocalFolder(tmp_path / "generations/1")
    folder.write_text("metadata", '{"id":"a"}')
    folder.write_text(STATE, "v2\n{}")
    seal(folder)
    write_written(folder, Written().after(2, {}), BatchClock("cp"))
    return folder


def check(generation: LocalFolder) -> None:
    store = Store(LocalFolder(generation.path.parent.parent))
    head = store.head()
    assert head is not None
    check_generation(store, head)


def refusal(generation: LocalFolder) -> str:
    with pytest.raises(CheckpointError) as refused:
        check(generation)
    return str(refused.value)


def begin(folder: LocalFolder, batch: int) -> None:
    """Write what Spark writes at the begin of a micro-batch."""
    for name in folder.names("sources"):
        read = {"path": f"file:///data/{name}/{batch}.json", "timestamp": 1, "batchId": batch}
        folder.write_text(f"sources/{name}/{batch}", f"v1\n{json.dumps(read)}")
    before = (folder.read_text(f"offsets/{batch - 1}") or "").replace(f":{batch - 1}}}", f":{batch}}}")
    folder.write_text(f"offsets/{batch}", before)


def commit(folder: LocalFolder, batch: int) -> None:
    folder.write_text(f"commits/{batch}", 'v2\n{"nextBatchWatermarkMs":0}')


NAMES = ("offsets/1", "offsets/2", "commits/2", "sources/orders/0", "sources/orders/2", "metadata", STATE, DIGESTS)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("how", but_wide(["letter", "first line", "empty", "removed"], lambda how: how == "letter"))
def test_a_damaged_file_is_refused_by_name(generation: LocalFolder, name: str, how: str) -> None:
    path = generation.path / name
    text = path.read_text()
    changed = {"letter": text.replace("a", "b", 1), "first line": text.partition("\n")[0][:2], "empty": ""}
    path.unlink() if how == "removed" else path.write_text(changed[how])
    if path.exists() and path.read_text() == text:
        return
    said = refusal(generation)
    assert name.rpartition("/")[0] in said
    assert str(generation.path) in said
    assert "try: restore" in said


def test_the_log_of_files_read_lists_each_as_it_was(generation: LocalFolder) -> None:
    path = generation.path / "sources/orders/1"
    path.write_text(path.read_text().replace("orders/1.json", "orders/7.json"))
    said = refusal(generation)
    assert said.startswith("sources/orders/1 of the checkpoint is damaged: it is not what was written")
    assert f"at: '{path}'" in said


def swap(generation: LocalFolder) -> None:
    left, right = (generation.path / f"sources/orders/{number}" for number in (0, 1))
    left.rename(generation.path / "moved")
    right.rename(left)
    (generation.path / "moved").rename(right)


def older(generation: LocalFolder) -> None:
    """Restore the record of an earlier micro-batch."""
    lines = [line for line in (generation.read_text(DIGESTS) or "").splitlines()[1:] if not line.endswith("s/2")]
    text = "".join(f"{line}\n" for line in lines)
    generation.write_text(DIGESTS, f"v1 {digest_of(text.encode())}\n{text}")


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (swap, "sources/orders/"),
        (older, "compiled-plan/digests ends with offsets/1, `offsets` with 2"),
        (lambda folder: shutil.rmtree(folder.path / "sources"), "sources/orders/"),
    ],
)
def test_other_damages(generation: LocalFolder, damage: Callable[[LocalFolder], None], says: str) -> None:
    if damage is older:
        begin(generation, 3)
        says = "`offsets` with 3"
    damage(generation)
    assert says in refusal(generation)


@pytest.mark.parametrize("steps", range(5))
def test_a_start_goes_on_after_a_kill_between_a_file_and_its_digest(generation: LocalFolder, steps: int) -> None:
    check(generation)
    if steps >= 1:
        begin(generation, 3)
        if steps == 1:
            (generation.path / "offsets/3").unlink()
    check(generation)
    if steps >= 3:
        seal(generation)
    if steps >= 4:
        commit(generation, 3)
    check(generation)


def test_a_start_goes_on_after_two_such_kills_in_a_row(
    generation: LocalFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin(generation, 3)
    seal(generation)
    commit(generation, 3)
    check(generation)
    kernel = SimpleNamespace(begin=lambda root, known: None)
    monkeypatch.setattr("compiled_plan.plans.execution.state.checkpoint.digests.java_class", lambda *_: kernel)
    record(Mock(), generation)
    begin(generation, 4)
    check(generation)


def test_a_log_two_entries_ahead_is_no_state_of_a_run(generation: LocalFolder) -> None:
    begin(generation, 3)
    commit(generation, 3)
    assert "compiled-plan/digests ends with commits/2, `commits` with 3" in refusal(generation)


def test_a_rewritten_entry_has_two_digests_until_it_is_recorded_again(generation: LocalFolder) -> None:
    old = generation.read_text("offsets/2") or ""
    rewrite(generation, "offsets/2", old.replace('{"logOffset":2}', '{"logOffset":1}'))
    check(generation)
    generation.write_text("offsets/2", old)
    check(generation)
    generation.write_text("offsets/2", old.replace('{"logOffset":2}', '{"logOffset":0}'))
    assert "offsets/2" in refusal(generation)


def test_an_earlier_release_has_run_last(generation: LocalFolder) -> None:
    generation.write_text("compiled-plan/written.json", json.dumps({"batch": 3}))
    begin(generation, 3)
    commit(generation, 3)
    assert read_digests(generation) is None
    check(generation)


@pytest.mark.parametrize("name", ["heads/1", "generations/1/compiled-plan/written.json"])
def test_documents_have_a_digest_of_themselves(generation: LocalFolder, name: str) -> None:
    path = generation.path.parent.parent / name
    text = path.read_text()
    path.write_text(text.replace('"product": "1.0"', '"product": "1.1"').replace('"batches": 1', '"batches": 2'))
    assert f"{name.rpartition('/')[2]} of the checkpoint is damaged" in refusal(generation)


@pytest.mark.parametrize("name", ["generation.json", "programs/1/plan.json", "programs/1/description.json"])
def test_files_that_are_written_once_have_digests_in_the_head(generation: LocalFolder, name: str) -> None:
    path = generation.path / "compiled-plan" / name
    path.write_text(path.read_text().replace(" ", "", 1))
    store = Store(LocalFolder(generation.path.parent.parent))
    head = store.head()
    assert head is not None
    with pytest.raises(CheckpointError, match=f"{name} of the checkpoint is damaged"):
        store.program(head)


def test_earlier_releases_wrote_no_digests() -> None:
    assert sealed({"a": 1}).keys() == {"a", "digest"}
