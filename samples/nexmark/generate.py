"""Generate the events of an online auction by the published description of Nexmark, with equal bytes on every machine.

    python samples/nexmark/generate.py [--events N] [--rate N] [--files N] [--partitions N] [--folder data/nexmark]

Of 50 consecutive events, one is a new person, three are new auctions and 46 are bids. Half of the bids go to one hot
auction, three quarters of bids and auctions come from one hot person; the hot auction and person change after 100
numbers. Event time increases by 1/rate seconds per event, minus up to `DISORDER` milliseconds.

The events are CSV, in one folder for all three kinds with a column for the kind, because the order between kinds
matters and CSV cells are cheapest to read: no names, no nesting. Cells of other kinds are empty. The events do not
depend on their distribution to files.
"""

from __future__ import annotations

import argparse
import os
import string
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import csv

Integers = NDArray[np.int64]

PERSON, AUCTION, BID = 0, 1, 2
#: Of EPOCH consecutive events, the first is a person, the next AUCTIONS are auctions, the others bids.
EPOCH, AUCTIONS = 50, 3
#: The first id of a person and of an auction.
FIRST = 1000
FIRST_CATEGORY, CATEGORIES = 10, 5
#: The number of ids after which the hot one changes.
HOT = 100
#: Open auctions at a time, active persons, and ids beyond the last one that events may already refer to.
OPEN_AUCTIONS, ACTIVE_PERSONS, AHEAD = 100, 1000, 10
#: The first event time, in milliseconds since 1970: 2025-12-31 23:59:50 UTC, shortly before a new day.
START = 1_767_225_590_000
#: Events that share a sequence of random numbers.
_BLOCK = 10_000
#: Milliseconds by which an event's time may precede that of an earlier event; the tables' watermarks allow 4 s.
DISORDER = 100
#: Rows of the side input, by the remainder of an auction's id.
SIDE_ROWS = 10_000

_CITIES = ("Phoenix", "Los Angeles", "San Francisco", "Boise", "Portland", "Bend", "Redmond", "Seattle", "Kent")
_STATES = ("AZ", "CA", "ID", "OR", "WA", "WY")
_FIRST_NAMES = ("Peter", "Paul", "Luke", "John", "Saul", "Vicky", "Kate", "Julie", "Sarah", "Deiter", "Walter")
_LAST_NAMES = ("Shultz", "Abrams", "Spencer", "White", "Bartels", "Walton", "Smith", "Jones", "Noris")
_CHANNELS = ("Google", "Facebook", "Baidu", "Apple")


@dataclass(frozen=True, slots=True)
class Nexmark:
    """Generator of the data.

    Args:
        events: their number.
        rate: events per second of event time.
        files: number of files of equal size, consecutive in time.
        partitions: number of files that each of these is divided into, 50 events at a time. A reader that reads files
            concurrently, or in any order, needs one file per task.
        seed: of the random numbers.
    """

    events: int = 1_000_000
    rate: int = 10_000
    files: int = 10
    partitions: int = 1
    seed: int = 1

    def write(self, folder: Path) -> None:
        """Write `events/00000-0.csv` and so on, and `side_input.csv`; modification times order the files."""
        (folder / "events").mkdir(parents=True, exist_ok=True)
        bounds = [self.events * at // self.files for at in range(self.files + 1)]
        for at, (first, end) in enumerate(pairwise(bounds)):
            for partition in range(self.partitions):
                file = folder / "events" / f"{at:05}-{partition}.csv"
                _write(file, self.tables(first, end, partition))
                os.utime(file, (START // 1000 + at, START // 1000 + at))
        _write(folder / "side_input.csv", [side_input()])

    def tables(self, first: int, end: int, partition: int = 0) -> Iterator[pa.Table]:
        """Events of a partition with numbers from `first` to `end` (exclusive), ascending."""
        for block in range(first // _BLOCK, (end + _BLOCK - 1) // _BLOCK):
            number = np.arange(block * _BLOCK, (block + 1) * _BLOCK)
            chosen = (number >= first) & (number < end) & (number // EPOCH % self.partitions == partition)
            yield self._block(number).filter(pa.array(chosen))

    def _block(self, number: Integers) -> pa.Table:
        """The events with these numbers, which belong to one block."""
        chance = np.random.default_rng([self.seed, int(number[0])])
        time = START + number * 1000 // self.rate - chance.integers(0, DISORDER, len(number))
        offset = number % EPOCH
        kind = np.where(offset == 0, PERSON, np.where(offset <= AUCTIONS, AUCTION, BID))
        tables = []
        for event_kind, make in ((PERSON, _persons), (AUCTION, self._auctions), (BID, _bids)):
            mine = kind == event_kind
            table = make(chance, number[mine], time[mine])
            for name, values in (("kind", kind[mine]), ("ts", _timestamps(time[mine])), ("number", number[mine])):
                table = table.append_column(name, pa.array(values))
            tables.append(table)
        return pa.concat_tables(tables, promote_options="default").sort_by("number").select(COLUMNS)

    def _auctions(self, chance: np.random.Generator, number: Integers, time: Integers) -> pa.Table:
        count = len(number)
        first_bid = _prices(chance, count)
        # The average time until OPEN_AUCTIONS more auctions have begun.
        horizon = OPEN_AUCTIONS * EPOCH // AUCTIONS * 1000 // self.rate
        return pa.table(
            {
                "id": FIRST + _last_auction(number),
                "itemName": _texts(chance, count, 20),
                "description": _texts(chance, count, 100),
                "initialBid": first_bid,
                "reserve": first_bid + _prices(chance, count),
                "expires": _timestamps(time + 1 + chance.integers(0, max(2 * horizon, 1), count)),
                "seller": _someone(chance, number, hot_offset=0),
                "category": FIRST_CATEGORY + chance.integers(0, CATEGORIES, count),
                "extra": _texts(chance, count, 300),
            }
        )


#: Columns of the file, in order.
COLUMNS = (
    "kind id name emailAddress creditCard city state itemName description initialBid reserve expires seller category "
    "auction bidder price channel url ts extra"
).split()


def side_input() -> pa.Table:
    """A table of `SIDE_ROWS` keys with a text and the start of its validity, before all events."""
    key = np.arange(SIDE_ROWS)
    since = _timestamps(np.full(SIDE_ROWS, START - 86_400_000))
    return pa.table({"id": key, "label": [f"label {at}" for at in key], "since": since})


def _persons(chance: np.random.Generator, number: Integers, time: Integers) -> pa.Table:
    count = len(number)
    first, last = _choose(chance, _FIRST_NAMES, count), _choose(chance, _LAST_NAMES, count)
    card = chance.integers(0, 10_000, (count, 4))
    return pa.table(
        {
            "id": FIRST + number // EPOCH,
            "name": [f"{a} {b}" for a, b in zip(first, last, strict=True)],
            "emailAddress": [f"{a}.{b}@example.com".lower() for a, b in zip(first, last, strict=True)],
            "creditCard": [f"{a:04} {b:04} {c:04} {d:04}" for a, b, c, d in card],
            "city": _choose(chance, _CITIES, count),
            "state": _choose(chance, _STATES, count),
            "extra": _texts(chance, count, 100),
        }
    )


def _bids(chance: np.random.Generator, number: Integers, time: Integers) -> pa.Table:
    count = len(number)
    last = _last_auction(number)
    first = np.maximum(last - OPEN_AUCTIONS, 0)
    any_open = first + (chance.random(count) * (last - first + 1 + AHEAD)).astype(np.int64)
    hot = chance.random(count) < 1 / 2
    # Half of the bids come through four channels, the others through one of 10,000, nine in ten with its id.
    known, channel = chance.random(count) < 1 / 2, chance.integers(0, 10_000, count)
    tagged = chance.random(count) < 9 / 10
    folders = zip(*(_texts(chance, count, 5).to_pylist() for _ in range(3)), strict=True)
    urls = [
        f"https://www.nexmark.com/{a}/{b}/{c}/item.htm?query=1" + (f"&channel_id={at * 65_537}" if tag else "")
        for (a, b, c), at, tag in zip(folders, channel, tagged & ~known, strict=True)
    ]
    channels = [_CHANNELS[at % 4] if four else f"channel-{at}" for four, at in zip(known, channel, strict=True)]
    return pa.table(
        {
            "auction": FIRST + np.where(hot, last // HOT * HOT, any_open),
            "bidder": _someone(chance, number, hot_offset=1),
            "price": _prices(chance, count),
            "channel": channels,
            "url": urls,
            "extra": _texts(chance, count, 50),
        }
    )


def _last_auction(number: Integers) -> Integers:
    """The index of the newest auction at an event, from 0; -1 before the first."""
    return np.asarray(number // EPOCH * AUCTIONS + np.minimum(number % EPOCH, AUCTIONS) - 1)


def _someone(chance: np.random.Generator, number: Integers, hot_offset: int) -> Integers:
    """A person's id: in three of four cases the hot one, else an active one."""
    last = number // EPOCH
    active = np.minimum(last + 1, ACTIVE_PERSONS)
    anyone = last + 1 - active + (chance.random(len(number)) * (active + AHEAD)).astype(np.int64)
    hot = chance.random(len(number)) < 3 / 4
    return np.asarray(FIRST + np.where(hot, last // HOT * HOT + hot_offset, anyone))


def _prices(chance: np.random.Generator, count: int) -> Integers:
    """Prices in cents, up to a million dollars, with all powers of ten equally likely."""
    return np.rint(10 ** (chance.random(count) * 6) * 100).astype(np.int64)


def _choose(chance: np.random.Generator, among: tuple[str, ...], count: int) -> list[str]:
    return [among[at] for at in chance.integers(0, len(among), count)]


def _texts(chance: np.random.Generator, count: int, length: int) -> pa.Array:
    """Texts of about that length, with a thousand distinct values."""
    pool = _pool(length)
    return pool.take(pa.array(chance.integers(0, len(pool), count)))


@cache
def _pool(length: int) -> pa.Array:
    """A thousand texts of lower-case letters, up to 20 % shorter or longer."""
    chance = np.random.default_rng(length)
    letters = np.frombuffer(string.ascii_lowercase.encode(), np.uint8)
    lengths = chance.integers(length - length // 5, length + length // 5 + 1, 1000)
    return pa.array([letters[chance.integers(0, 26, size)].tobytes().decode() for size in lengths])


def _timestamps(millis: Integers) -> pa.Array:
    return pa.array(millis, pa.timestamp("ms"))


def _write(file: Path, tables: Iterable[pa.Table]) -> None:
    """Write a file without a header, atomically."""
    temporary = file.with_name(f".{file.name}")
    options = csv.WriteOptions(include_header=False, quoting_style="none")
    with temporary.open("wb") as out:
        for table in tables:
            csv.write_csv(table, out, options)
    temporary.rename(file)


def main() -> None:
    """Write the events and the side input."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = Nexmark()
    options.add_argument("--events", type=int, default=default.events)
    options.add_argument("--rate", type=int, default=default.rate, help="events per second of event time")
    options.add_argument("--files", type=int, default=default.files)
    options.add_argument("--partitions", type=int, default=default.partitions)
    options.add_argument("--seed", type=int, default=default.seed)
    options.add_argument("--folder", type=Path, default=Path("data/nexmark"))
    chosen = options.parse_args()
    Nexmark(chosen.events, chosen.rate, chosen.files, chosen.partitions, chosen.seed).write(chosen.folder)


if __name__ == "__main__":
    main()
