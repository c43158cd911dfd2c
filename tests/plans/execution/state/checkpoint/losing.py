"""A checkpoint with a history, and ways to lose a part of it: removed, truncated, or restored from an older backup."""

from __future__ import annotations

import random
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from compiled_plan.plans.execution.run import Run
from compiled_plan.plans.plan import CompiledPlan
from tests.plans.execution.state.checkpoint.places import Place, table

TABLES = "".join(
    (
        table("sales", "shop STRING, price INT"),
        table("shops", "shop STRING, rent INT"),
        table(
            "visits",
            "shop STRING, at1 TIMESTAMP(3), WATERMARK FOR at1 AS at1",
            more=", 'scan.watermark.idle-timeout' = '1 h'",
        ),
        *(table(name, "k STRING, n BIGINT", "debezium-json") for name in ("prices", "rents", "windows")),
    )
)
PRICES = "INSERT INTO prices SELECT shop, SUM(price) FROM sales GROUP BY shop"
RENTS = (
    "INSERT INTO rents SELECT k, SUM(n) FROM (SELECT s.shop AS k, h.rent AS n FROM sales AS s JOIN shops AS h "
    "ON s.shop = h.shop UNION ALL SELECT * FROM (VALUES ('x', 1000)) AS v (k, n)) GROUP BY k"
)
WINDOWS = (
    "INSERT INTO windows SELECT shop, COUNT(*) FROM TUMBLE(TABLE visits, DESCRIPTOR(at1), INTERVAL '10' SECOND) "
    "GROUP BY shop, window_start, window_end"
)
INSERTS = {"prices": PRICES, "rents": RENTS, "windows": WINDOWS}
WAYS = ("removed", "truncated", "older")


def together(*statements: str) -> str:
    return f"EXECUTE STATEMENT SET BEGIN {' '.join(f'{statement};' for statement in statements)} END"


@dataclass(frozen=True, slots=True)
class Loss:
    """One loss.

    Args:
        name: of a file or folder in the checkpoint.
        how: one of WAYS.
    """

    name: str
    how: str


class History:
    """A checkpoint of two generations with several micro-batches each, and a backup of halfway.

    Args:
        place: an empty folder.
        inserts: one INSERT by sink.
    """

    def __init__(self, place: Place, inserts: Mapping[str, str] = INSERTS) -> None:
        self.place, self.inserts = place, inserts
        self._add(0)
        self.plan: CompiledPlan = place.compiled(TABLES, together(*inserts.values()))
        place.run(self.plan)
        self._add(1)
        place.run(self.plan)
        place.moved(self.plan, upgrade="migrate")
        self._add(2)
        place.run(self.plan)
        self._copied(self.older, place.checkpoint)
        self._add(3)
        place.run(self.plan)
        self._add(4)
        self._copied(self.backup, place.folder)
        place.run(self.plan)
        self.expected = self.rows()
        assert place.generations() == [1, 2]

    @property
    def backup(self) -> Path:
        """All folders before the last run."""
        return self.place.folder.with_name("backup")

    @property
    def older(self) -> Path:
        """The checkpoint two runs before."""
        return self.place.folder.with_name("older")

    def _add(self, at: int) -> None:
        sales = [{"shop": shop, "price": 3 + at} for shop in "xyz"[: 1 + at % 3]]
        visits = [{"shop": "x", "at1": f"2024-01-01 00:00:{10 * at:02d}"}]
        self.place.add({"sales": sales, "shops": [{"shop": "xyz"[at % 3], "rent": 7 + at}], "visits": visits})

    @staticmethod
    def _copied(to: Path, source: Path) -> None:
        shutil.rmtree(to, ignore_errors=True)
        shutil.copytree(source, to)

    def names(self) -> list[str]:
        """All files and folders of the checkpoint."""
        root = self.backup / "checkpoint"
        return sorted(str(path.relative_to(root)) for path in root.rglob("*"))

    def losses(self, seed: int) -> list[Loss]:
        """All possible losses, in a random order."""
        root, losses = self.backup / "checkpoint", []
        for name in self.names():
            path, older = root / name, self.older / name
            losses.append(Loss(name, "removed"))
            if path.is_file() and path.stat().st_size:
                losses.append(Loss(name, "truncated"))
            if older.is_dir() or (older.is_file() and older.read_bytes() != path.read_bytes()):
                losses.append(Loss(name, "older"))
        random.Random(seed).shuffle(losses)
        return losses

    def lose(self, loss: Loss) -> None:
        """Restore the checkpoint and all tables as before the last run, with this loss."""
        self._copied(self.place.folder, self.backup)
        path = self.place.checkpoint / loss.name
        if loss.how == "truncated":
            path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
            return
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()
        if loss.how == "older":
            older = self.older / loss.name
            (shutil.copytree if older.is_dir() else shutil.copy2)(older, path)

    def restore(self, loss: Loss) -> None:
        """Restore the lost part only."""
        path, whole = self.place.checkpoint / loss.name, self.backup / "checkpoint" / loss.name
        if whole.is_dir():
            shutil.copytree(whole, path, dirs_exist_ok=True)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(whole, path)

    def rows(self) -> dict[str, list[tuple[Any, ...]]]:
        return {name: self.place.rows(name) for name in self.inserts}

    def start(self) -> Run:
        return self.place.started(self.plan)
