"""Orders of a day, and the table of sales that they should lead to.

    python samples/proof/sales.py orders DAY [--rows N]    a file of data/orders for a day, seeded
    python samples/proof/sales.py table                    create the table in sales.db
    python samples/proof/sales.py check                    compare it with all orders; exits with 1 if it differs

Standard library only.
"""

from __future__ import annotations

import argparse
import json
import random
import sqlite3
import sys
from pathlib import Path

ORDERS = Path("data/orders")
STATES = ("new", "paid", "sent", "cancelled")
Sales = dict[str, tuple[int, int]]


def write(day: int, rows: int) -> None:
    """Write the orders of a day; from the fourth one on, some spell their state in upper case."""
    chance = random.Random(day)
    ORDERS.mkdir(parents=True, exist_ok=True)
    with (ORDERS / f"{day}.json").open("w") as file:
        for _ in range(rows):
            status = chance.choice(STATES)
            if day > 3 and chance.random() < 0.1:
                status = status.upper()
            row = {"shop": f"shop {chance.randrange(20):02}", "status": status, "amount": chance.randrange(1, 100)}
            file.write(json.dumps(row) + "\n")


def create() -> None:
    """Create the table."""
    with sqlite3.connect("sales.db") as database:
        database.execute("CREATE TABLE sales (shop TEXT PRIMARY KEY, orders BIGINT, amount BIGINT)")


def expected() -> Sales:
    """The sales of all orders that are not cancelled."""
    sales: Sales = {}
    for file in ORDERS.glob("*.json"):
        for line in file.read_text().splitlines():
            row = json.loads(line)
            if row["status"].lower() != "cancelled":
                orders, amount = sales.get(row["shop"], (0, 0))
                sales[row["shop"]] = orders + 1, amount + row["amount"]
    return sales


def check() -> int:
    """Compare the table with all orders."""
    with sqlite3.connect("sales.db") as database:
        table: Sales = {shop: (orders, amount) for shop, orders, amount in database.execute("SELECT * FROM sales")}
    wanted = expected()
    shops = sorted(table.keys() | wanted.keys())
    wrong = [shop for shop in shops if table.get(shop) != wanted.get(shop)]
    print(f"{len(shops) - len(wrong)} of {len(shops)} shops are right")
    for shop in wrong[:3]:
        print(f"  {shop}: orders and amount {table.get(shop)}, not {wanted.get(shop)}")
    return 1 if wrong else 0


def main() -> int:
    parser = argparse.ArgumentParser(description="Orders, and the sales that they should lead to.")
    parser.add_argument("action", choices=("orders", "table", "check"))
    parser.add_argument("day", type=int, nargs="?", default=1)
    parser.add_argument("--rows", type=int, default=3000)
    arguments = parser.parse_args()
    if arguments.action == "check":
        return check()
    if arguments.action == "table":
        create()
    else:
        write(arguments.day, arguments.rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
