"""Nexmark events: identical on every machine, in the published proportions."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa

from samples.nexmark.generate import AUCTION, BID, DISORDER, FIRST, PERSON, START, Nexmark

MANY = Nexmark(events=25_000, rate=1_000)


def table(nexmark: Nexmark = MANY) -> pa.Table:
    return pa.concat_tables(nexmark.tables(0, nexmark.events))


def of_kind(kind: int) -> pa.Table:
    events = table()
    return events.filter(pa.array(np.asarray(events["kind"]) == kind))


def text(folder: Path) -> list[str]:
    return [line for file in sorted((folder / "events").iterdir()) for line in file.read_text().splitlines()]


def test_seeded(tmp_path: Path) -> None:
    Nexmark(events=1_000, files=1).write(tmp_path)
    digest = hashlib.sha256((tmp_path / "events" / "00000-0.csv").read_bytes()).hexdigest()
    assert digest == "d4da66f7a241bac476b373a96f130f65be3f1faab242e0c0dfd39d23db7bae6f"
    assert not table(replace(MANY, seed=2)).equals(table())


def test_files_do_not_change_the_events(tmp_path: Path) -> None:
    replace(MANY, files=1).write(tmp_path / "one")
    replace(MANY, files=3).write(tmp_path / "three")
    replace(MANY, files=2, partitions=2).write(tmp_path / "dealt")
    one = text(tmp_path / "one")
    assert len(one) == MANY.events
    assert text(tmp_path / "three") == one
    assert text(tmp_path / "dealt") != one
    assert sorted(text(tmp_path / "dealt")) == sorted(one)


def test_files_are_ordered_by_their_times(tmp_path: Path) -> None:
    replace(MANY, files=3).write(tmp_path)
    files = sorted((tmp_path / "events").iterdir(), key=lambda file: file.stat().st_mtime)
    assert [file.name for file in files] == ["00000-0.csv", "00001-0.csv", "00002-0.csv"]


def test_proportions() -> None:
    kinds = np.asarray(table()["kind"]).reshape(-1, 50)
    assert np.array_equal(np.bincount(kinds[0]), [1, 3, 46])
    assert (kinds == kinds[0]).all()


def test_numbers_are_given_once_and_in_turn() -> None:
    assert of_kind(PERSON)["id"].to_pylist() == list(range(FIRST, FIRST + 500))
    assert of_kind(AUCTION)["id"].to_pylist() == list(range(FIRST, FIRST + 1500))


def test_time_grows_with_little_disorder() -> None:
    late = START + np.arange(MANY.events) * 1000 // MANY.rate - np.asarray(table()["ts"].cast(pa.int64()))
    assert late.min() == 0
    assert late.max() == DISORDER - 1


def test_hot_keys() -> None:
    bids = of_kind(BID)
    auctions, bidders = np.asarray(bids["auction"]), np.asarray(bids["bidder"])
    assert 0.48 < (auctions % 100 == 0).mean() < 0.53
    assert 0.74 < (bidders % 100 == 1).mean() < 0.77
    # A bid on an auction that is not hot has the number of an open auction, or a little higher.
    assert len(np.unique(auctions)) > 1400
    assert auctions.max() < FIRST + 1500 + 10


def test_an_auction_ends_after_it_began() -> None:
    auctions = of_kind(AUCTION)
    lasts = np.asarray(auctions["expires"].cast(pa.int64())) - np.asarray(auctions["ts"].cast(pa.int64()))
    assert lasts.min() > 0
    assert 0.8 < lasts.mean() / (100 * 50 / 3 / MANY.rate * 1000) < 1.2
