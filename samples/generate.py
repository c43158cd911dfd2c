"""Generate the samples' data: the same rows on every machine (seeded).

    python samples/generate.py [--rows N] [--folder data] [--upgrade days]

Standard library only.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterable
from pathlib import Path

SHIP_MODES = ("AIR", "RAIL", "ROAD", "SEA", "PIPE")


def write(path: Path, rows: Iterable[object]) -> None:
    """Write one JSON object per line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as file:
        file.writelines(json.dumps(row, separators=(",", ":")) + "\n" for row in rows)


def orders_shipments(folder: Path, count: int) -> None:
    """Orders, and for most of them the shipment of their line order."""
    chance = random.Random(1)
    lines = list(range(count))
    chance.shuffle(lines)
    write(folder / "orders" / "1.json", ({"order_id": at, "line_order_id": line} for at, line in enumerate(lines)))
    shipped = (line for line in range(count) if chance.random() < 0.9)
    rows = ({"line_order_id": line, "ship_mode": chance.choice(SHIP_MODES)} for line in shipped)
    write(folder / "line_orders" / "1.json", rows)


def clicks(folder: Path, count: int) -> None:
    """Click events, some delivered twice."""
    chance = random.Random(2)

    def events() -> Iterable[object]:
        for event in range(count):
            row = {"event_id": event, "page": f"/page/{chance.randrange(50)}", "millis": chance.randrange(2000)}
            yield row
            if chance.random() < 0.2:
                yield row

    write(folder / "clicks" / "1.json", events())


def accounts(folder: Path, count: int) -> None:
    """The changelog of a table of accounts: inserts, updates and deletes."""
    chance = random.Random(3)
    rows: dict[int, dict[str, object]] = {}

    def changes() -> Iterable[object]:
        for _ in range(count):
            account = chance.randrange(max(count // 5, 1))
            before = rows.pop(account, None)
            after = None
            if before is None or chance.random() < 0.8:
                cents = chance.randrange(10_000_000)
                branch = f"b{chance.randrange(20)}"
                after = {"account_id": account, "branch": branch, "balance": f"{cents // 100}.{cents % 100:02}"}
                rows[account] = after
            op = "c" if before is None else "d" if after is None else "u"
            yield {"before": before, "after": after, "op": op}

    write(folder / "accounts" / "1.json", changes())


def sales(folder: Path, count: int) -> None:
    """Sales with tags, some without."""
    chance = random.Random(4)
    names = ["new", "blue", "sale", "large"]

    def rows() -> Iterable[object]:
        for sale in range(count):
            tags = ", ".join(chance.sample(names, chance.randrange(3)))
            price = f"{chance.randrange(100)}.{chance.randrange(100):02}"
            yield {"id": sale, "price": price, "pieces": chance.randrange(1, 5), "tags": tags or None}

    write(folder / "sales" / "1.json", rows())


COUNTRIES = ("AT", "BE", "CH", "DE", "ES", "FR", "IT", "NL", "PL", "SE")
ITEMS = ("book", "lamp", "chair", "gift", "phone")


def upgrade(folder: Path, count: int) -> None:
    """Three days of a shop: orders, customers, returns; every country has orders on every day."""
    chance = random.Random(5)
    customers = [(at, COUNTRIES[at % len(COUNTRIES)]) for at in range(max(count // 20, 30))]
    for day in range(3):
        # Orders may arrive before their customers.
        known = customers[day::3]
        orders = (
            {"order_id": at, "customer": customer, "item": chance.choice(ITEMS), "amount": chance.randrange(1, 500)}
            for at in range(day * count, (day + 1) * count)
            for customer in [chance.randrange(len(customers))]
        )
        write(folder / str(day + 1) / "orders.json", orders)
        rows = ({"customer": customer, "country": country} for customer, country in known)
        write(folder / str(day + 1) / "customers.json", rows)
        back = ({"item": item, "amount": chance.randrange(1, 500)} for item in ITEMS for _ in range(count // 100))
        write(folder / str(day + 1) / "refunds.json", back)


def main() -> None:
    """Write the data of all samples."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--rows", type=int, default=300_000)
    options.add_argument("--folder", type=Path, default=Path("data"))
    options.add_argument("--upgrade", type=Path, metavar="FOLDER", help="only the days of the sample upgrade")
    chosen = options.parse_args()
    if chosen.upgrade:
        upgrade(chosen.upgrade, chosen.rows)
        return
    orders_shipments(chosen.folder / "orders_shipments", chosen.rows)
    clicks(chosen.folder / "deduplicate_aggregate", chosen.rows // 2)
    accounts(chosen.folder / "cdc_aggregate", chosen.rows // 3)
    sales(chosen.folder / "functions", chosen.rows // 10)


if __name__ == "__main__":
    main()
