"""Migrations and rollbacks in killed processes: one generation is complete each time, and sinks are equal."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from compiled_plan.plans.execution.state.checkpoint.offsets import progress_of
from tests.plans.execution.crashing import FILES
from tests.plans.execution.kills import LAST, SINKS, Before, Killed
from tests.support.file_events import FileEvent

START, MIGRATION, ROLLBACK = "a start", "a migration", "a rollback"
INPUTS = ("orders", "items")
#: Parts of a generation that never change once another was made from it; the rest is for people to read.
KEPT = ("commits", "metadata", "offsets", "sources", "state")


@dataclass(slots=True)
class _Seen:
    """Progress of a process: whether it has begun a generation, written the state, published."""

    begun: bool = False
    seeded: bool = False
    published: bool = False


class KilledUpgrades(Killed):
    """Each start requests another number of partitions: its state moves first. Some roll back instead."""

    ASKED_FIRST = False

    @property
    def checkpoint(self) -> Path:
        return self.folder / "checkpoint"

    def __init__(self, folder: Path, chance: random.Random) -> None:
        super().__init__(folder, chance)
        self.before, self.seen = Before(), _Seen()

    def begin(self) -> None:
        """All chains begin with a copy of one checkpoint, for which half of the input was read."""
        later = self.folder / "later"
        for name in INPUTS:
            (later / name).mkdir(parents=True)
            for file in sorted((self.folder / name).iterdir())[FILES // 2 :]:
                file.rename(later / name / file.name)
        super().begin()
        for name in (self.checkpoint.name, *SINKS):
            shutil.copytree(self.folder / name, self.folder / "kept" / name)
        for name in INPUTS:
            for file in (later / name).iterdir():
                file.rename(self.folder / name / file.name)

    def kind(self, before: Before) -> str:
        if not before.heads:
            return START
        return ROLLBACK if before.former and self.chance.random() < 4 / 5 else MIGRATION

    def process(self, checkpoint: Path, kind: str = "") -> subprocess.Popen[str]:
        if kind == ROLLBACK:
            return self._execute("--rollback", checkpoint=checkpoint)
        head = self.store.head()
        before = 2 if head is None else json.loads(self.store.program(head).description)["partitions"]
        setting = f"spark.sql.shuffle.partitions={3 - before}"
        return self._execute(str(self.plan), "--max-files-per-batch", "1", "--conf", setting, checkpoint=checkpoint)

    # ---- phases

    def phase(self, kind: str, event: FileEvent) -> str:
        phase = super().phase(kind, event)
        if phase == "head" and event.path.name.isdigit():
            self.seen.published = True
        if self.seen.published and phase not in ("", "head"):
            return LAST if phase == "lock" else "the run"
        return phase

    def phase_of_generation(self, event: FileEvent, generation: int, inside: tuple[str, ...]) -> str:
        if inside == ("compiled-plan", "generation.json") and not event.removed:
            self.seen.begun = True
        if not self.seen.begun and generation not in self.before.contents:
            return "clean-up"
        if not self.before.generation:
            return super().phase_of_generation(event, generation, inside)
        if generation == self.before.generation:
            return "the batch that was begun"
        if "programs" in inside:
            return "program"
        if self.seen.seeded:
            return "positions"
        if inside[:2] == ("compiled-plan", "seed"):
            return "export"
        self.seen.seeded = inside == ("commits", "0")
        return "seed" if inside[0] in ("state", "offsets", "commits", "metadata") else "sources"

    # ---- results

    def looked_at(self) -> Before:
        store = self.store
        head, self.seen, self.before = store.head(), _Seen(), Before()
        if head is not None:
            facts, heads = store.facts(head.generation), store.heads()
            begun = progress_of(store.generation(head.generation).folder).planned is not None
            contents = {number: self._digest(number) for number in {head.generation for head in heads}}
            former = facts.get("from", {}).get("generation", 0)
            self.before = Before(len(heads), head.generation, former, begun, contents)
        return self.before

    def _digest(self, generation: int) -> str:
        place = self.checkpoint / "generations" / str(generation)
        digest = sha256()
        for file in sorted(path for name in KEPT for path in (place / name).rglob("*") if path.is_file()):
            digest.update(f"{file.relative_to(place)} {sha256(file.read_bytes()).hexdigest()}\n".encode())
        return digest.hexdigest()

    def check(self, kind: str, before: Before) -> None:
        """Check the disk after a process: the old generation or the new one, with everything that a start reads."""
        super().check(kind, before)
        store, head = self.store, self.store.head()
        if head is None:
            return
        after = store.heads()
        published = len(after) - before.heads
        if kind != START:
            assert published in (0, 1)
            self.moments[f"{kind} {'counts' if published else 'left the old generation'}"] += 1
        if kind == ROLLBACK:
            assert head.generation == (before.former if published else before.generation)
        if kind == MIGRATION:
            folder = store.generation(head.generation).folder
            assert folder.holds("offsets/0")
            assert folder.holds("commits/0")
            assert published == (head.generation not in before.contents)
            if published:
                assert store.facts(head.generation)["from"]["generation"] == before.generation
                assert progress_of(store.generation(before.generation).folder).planned is None
        for generation, content in before.contents.items():
            if not (kind == MIGRATION and before.begun and generation == before.generation):
                assert self._digest(generation) == content, f"{kind} changed generation {generation}"
        self._forget(head.generation)

    def _forget(self, generation: int) -> None:
        """Remove sink output of abandoned generations, as a user does after a rollback."""
        line = []
        while generation:
            facts = self.store.facts(generation)
            line.append(facts["run"])
            generation = facts.get("from", {}).get("generation", 0)
        for name in SINKS:
            for file in (self.folder / name).glob("part-*"):
                if file.name.split("-")[1] not in line:
                    file.unlink()

    def finished(self, kind: str) -> None:
        if kind != MIGRATION:
            return
        self.compare()
        self.ends += 1
        # Some continue after the end of the input: then all state moves.
        if self.chance.random() < 1 / 2:
            for place in (self.folder / "kept").iterdir():
                shutil.rmtree(self.folder / place.name)
                shutil.copytree(place, self.folder / place.name)
