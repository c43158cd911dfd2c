"""Checkpoints with lost parts: a start refuses or continues correctly, and never starts over silently."""

from __future__ import annotations

import json
import random
import shutil
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from compiled_plan.plans.errors import CheckpointError, CompiledPlanError
from compiled_plan.plans.execution.spark.storage import LocalFolder
from compiled_plan.plans.execution.state.checkpoint.losses import check_generation
from compiled_plan.plans.execution.state.checkpoint.store import Store
from compiled_plan.plans.execution.state.upgrade.rollback import adopt, prune, roll_back
from compiled_plan.plans.inspection.checkpoints import WRITTEN, Origin
from tests.plans.execution.disk_steps import Crash
from tests.plans.execution.state.checkpoint.losing import PRICES, History, Loss
from tests.plans.execution.state.checkpoint.places import Place
from tests.plans.execution.state.upgrade.checkpoints import compiled, decided, started

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

COUNT = "INSERT INTO totals SELECT shop, SUM(price) FROM orders GROUP BY shop"
PLAN = compiled(COUNT)
Change = Callable[[Path], object]


def contents(folder: Path) -> Mapping[Path, bytes]:
    # The lock file names its last holder.
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.name != "lock"}


def look(root: Path) -> None:
    """The first checks of a start."""
    store = Store(LocalFolder(root))
    store.check_heads()
    head = store.head()
    assert head is not None
    check_generation(store, head)
    decided(store, PLAN)


def removed(name: str) -> Change:
    def change(root: Path) -> None:
        path = root / name
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()

    return change


def written(name: str, text: str | bytes) -> Change:
    def change(root: Path) -> None:
        data = text.encode() if isinstance(text, str) else text
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)

    return change


def without(name: str, key: str) -> Change:
    def change(root: Path) -> None:
        value = json.loads((root / name).read_text())
        del value[key]
        (root / name).write_text(json.dumps(value))

    return change


def cut(name: str, lines: int) -> Change:
    return lambda root: (root / name).write_text("\n".join((root / name).read_text().splitlines()[:lines]))


OWN = "generations/1/compiled-plan"
DEEP = '{"a":' * 100_000
LOST: Mapping[str, tuple[str, Change]] = {
    "heads": ("heads/1, which had generation 1 count, is missing", removed("heads")),
    "heads of an earlier release": (
        "no head names generation 1, which has run.*generation 1 .micro-batch 2 is the last that is done",
        lambda root: (removed("heads")(root), removed(f"{OWN}/heads")(root)),
    ),
    "the generation": ("generation 1, which heads/1 names, is missing", removed("generations/1")),
    "all generations": ("generation 1, which heads/1 names, is missing", removed("generations")),
    "an empty head": ("heads/1 of the checkpoint is missing or cannot be read", written("heads/1", "")),
    "a head of another encoding": ("UTF-8", written("heads/1", b"\xff\xfe{")),
    "a deep head": ("heads/1 of the checkpoint", written("heads/1", DEEP)),
    "a head without a generation": ("heads/1 of the checkpoint", without("heads/1", "generation")),
    "a head without a time": ("heads/1 of the checkpoint", without("heads/1", "at")),
    "a folder as a head": ("cannot read the checkpoint", lambda root: (root / "heads/2").mkdir()),
    "a generation's facts": ("generation.json", removed(f"{OWN}/generation.json")),
    "a generation without a run": ("generation.json", without(f"{OWN}/generation.json", "run")),
    "a plan": ("programs/1/plan.json", removed(f"{OWN}/programs/1/plan.json")),
    "a part of a plan": ("programs/1/plan.json", written(f"{OWN}/programs/1/plan.json", '{"nodes": [')),
    "a deep plan": ("programs/1/plan.json", written(f"{OWN}/programs/1/plan.json", DEEP)),
    "a description": ("description.json", written(f"{OWN}/programs/1/description.json", "")),
    "offsets": ("ends with no micro-batch", removed("generations/1/offsets")),
    "commits": ("with none", removed("generations/1/commits")),
    "the last offset": ("disagree", removed("generations/1/offsets/2")),
    "the last commits": (
        "disagree",
        lambda root: [removed(f"generations/1/commits/{at}")(root) for at in (1, 2)],
    ),
    "both logs": (
        "written.json tells of micro-batch 2",
        lambda root: [removed(f"generations/1/{log}")(root) for log in ("offsets", "commits")],
    ),
    "both logs after the first micro-batch": (
        "written.json tells of micro-batch 0",
        lambda root: [
            written(f"{OWN}/written.json", '{"batch": 0}')(root),
            *(removed(f"generations/1/{log}")(root) for log in ("offsets", "commits")),
        ],
    ),
    "watermarks": (
        "watermarks.json does not tell of micro-batch 2",
        written(f"{OWN}/written.json", '{"batch": 2, "marked": true}'),
    ),
    **{
        f"{kind} watermarks": (
            message,
            lambda root, text=text: [
                written(f"{OWN}/{name}.json", content)(root)
                for name, content in (("written", '{"batch": 2, "marked": true}'), ("watermarks", text))
            ],
        )
        for kind, text, message in (
            ("deep", DEEP, "watermarks.json of the checkpoint is damaged"),
            ("wrong", '{"batch": "x"}', "watermarks.json does not tell of micro-batch 2"),
        )
    },
    "a part of an offset": ("offsets/2 of the checkpoint", written("generations/1/offsets/2", "v2\n{")),
    "a part of the last committed offset": (
        "offsets/1 of the checkpoint",
        lambda root: [
            written(f"{OWN}/written.json", '{"batch": 1}')(root),
            removed("generations/1/commits/2")(root),
            written("generations/1/offsets/1", "v2\n{")(root),
        ],
    ),
    "the sources of an offset": ("offsets/2 of the checkpoint", cut("generations/1/offsets/2", 2)),
    "an empty commit": ("commits/2 of the checkpoint", written("generations/1/commits/2", "")),
    "the files read": ("sources/orders/2", removed("generations/1/sources")),
    "a file read": ("sources/orders/1", removed("generations/1/sources/orders/1")),
    "a part of a file read": ("sources/orders/0", written("generations/1/sources/orders/0", 'v1\n{"path":')),
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    place = tmp_path / "checkpoint"
    store = started(place, PLAN, batches=3)
    LocalFolder(place).write_text(f"{OWN}/written.json", '{"batch": 2}')
    look(place)
    assert store.copies(1)
    return place


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", LOST)
def test_a_start_refuses_losses_that_would_go_unnoticed(root: Path, name: str) -> None:
    said, lose = LOST[name]
    lose(root)
    before = contents(root)
    with pytest.raises(CheckpointError, match=said):
        look(root)
    assert contents(root) == before


def test_a_position_that_is_no_json_is_left_to_its_source(root: Path) -> None:
    entry = root / "generations/1/offsets/2"
    *head, position = entry.read_text().splitlines()
    entry.write_text("\n".join((*head, f"{position.partition(':')[0]}:somewhere")))
    look(root)


def test_names_that_only_look_like_numbers_are_skipped(root: Path) -> None:
    for folder in ("heads", "generations", "generations/1/offsets", "generations/1/commits"):
        for name in ("²", "٣", "01", "-1", "9" * 30):
            (root / folder / name).mkdir()
    look(root)


def test_pruning_leaves_every_generation_that_has_run(root: Path) -> None:
    store = Store(LocalFolder(root))
    lost = store.new_generation({}, "run", Origin(1, 1))
    store.new_program(lost, store.program_in_force())
    store.prune()
    assert store.root.numbers("generations") == [1], "nothing has run there"
    lost = store.new_generation({}, "run", Origin(1, 1))
    for log in ("offsets", "commits"):
        lost.folder.write_text(f"{log}/0", "v2")
    store.prune()
    assert store.root.numbers("generations") == [1], "a migration that was cut short"
    lost = store.new_generation({}, "run", Origin(1, 1))
    for at in range(2):
        lost.folder.write_text(f"offsets/{at}", "v2")
    store.prune()
    assert store.root.numbers("generations") == [1, 2], "it has run, and its head was lost"
    with pytest.raises(CheckpointError, match="no head names generation 2, which has run"):
        store.check_heads()


@pytest.mark.parametrize("origin", [Origin(1, 1), Origin(1, 1, 2)], ids=["migration", "rewind"])
def test_a_removal_that_ends_early_is_completed(root: Path, origin: Origin, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder's files are removed in any order: what remains never looks like a generation that has run."""
    store, chance, batch = Store(LocalFolder(root)), random.Random(1), origin.batch or 0

    def remove_some(folder: LocalFolder, path: Path) -> None:
        files = sorted(file for file in path.rglob("*") if file.is_file())
        for file in chance.sample(files, chance.randrange(len(files))) if files else ():
            file.unlink()
        if chance.random() < 1 / 3:
            raise Crash
        shutil.rmtree(path)

    for _ in range(100):
        unused = store.new_generation({}, "run", origin)
        for at in range(batch + 1):
            for log in ("offsets", "commits"):
                unused.folder.write_text(f"{log}/{at}", "v2")
        if origin.batch is not None:
            unused.folder.write_text(WRITTEN, "{}")
        store.new_program(unused, store.program_in_force())
        with monkeypatch.context() as patched:
            patched.setattr(LocalFolder, "_remove_tree", remove_some)
            with suppress(Crash):
                store.prune()
        store.check_heads()
        store.prune()
        assert store.root.numbers("generations") == [1]


def test_heads_that_were_lost_are_refused_and_adopted(spark: SparkSession, root: Path) -> None:
    store = Store(LocalFolder(root))
    heads = store.heads()
    shutil.rmtree(root / "heads")
    for act in (roll_back, prune):
        with pytest.raises(CheckpointError, match="--adopt-generation N"):
            act(spark, str(root))
    with pytest.raises(CheckpointError, match=r"generation 7 cannot be put in force.*\n.*\n.*: 1"):
        adopt(spark, str(root), 7)
    assert not store.root.numbers("heads")
    assert (root / "generations/1/offsets/2").exists()
    assert adopt(spark, str(root), 1) == heads[0]
    assert store.heads() == heads
    look(root)
    # An earlier release kept no copies.
    shutil.rmtree(root / "heads")
    shutil.rmtree(root / OWN / "heads")
    head = adopt(spark, str(root), 1)
    assert (head.number, head.generation, head.program, head.by) == (1, 1, 1, "adopt")
    (root / "heads/1").write_text("")
    assert adopt(spark, str(root), 1).program == 1
    look(root)


def test_heads_of_an_older_backup_are_refused(root: Path) -> None:
    store = Store(LocalFolder(root))
    backup = root.with_name("backup")
    shutil.copytree(root / "heads", backup)
    number = store.new_program(store.generation(1), store.program_in_force())
    store.publish(1, number, "start")
    shutil.rmtree(root / "heads")
    shutil.copytree(backup, root / "heads")
    with pytest.raises(CheckpointError, match="heads/2, which had generation 1 count, is missing"):
        store.check_heads()
    store.prune()
    assert store.root.inside(OWN).numbers("programs") == [1, 2]
    assert store.adopt(1).program == number


# ---- whole runs


def check(history: History, loss: Loss) -> str:
    """Lose a part and start; the outcome."""
    history.lose(loss)
    before = contents(history.place.checkpoint)
    try:
        run = history.start()
    except CompiledPlanError:
        assert contents(history.place.checkpoint) == before, loss
        return "refused"
    try:
        run.execute()
    except CompiledPlanError:
        # Spark has begun an uncommitted micro-batch: the lost part is restored, and the batch runs again.
        history.restore(loss)
        history.start().execute()
        assert history.rows() == history.expected, loss
        return "failed"
    assert history.rows() == history.expected, loss
    return "went on"


@pytest.fixture
def place(spark: SparkSession, tmp_path: Path) -> Place:
    folder = tmp_path / "place"
    folder.mkdir()
    return Place(spark, folder)


@pytest.mark.wide
@pytest.mark.attack
def test_one_loss_of_each_outcome(place: Place) -> None:
    history = History(place, {"prices": PRICES})
    current = "generations/2"
    assert check(history, Loss(f"{current}/sources/sales", "removed")) == "refused"
    assert check(history, Loss(f"{current}/state/0", "older")) == "refused"
    assert check(history, Loss("generations/1/commits", "removed")) == "went on"


@pytest.mark.attack
@pytest.mark.deep
def test_losses_at_500_places(place: Place) -> None:
    history = History(place)
    ends = Counter(check(history, loss) for loss in history.losses(1)[:500])
    print(ends)
    assert ends.total() == 500
    assert set(ends) == {"refused", "failed", "went on"}
