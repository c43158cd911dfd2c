"""Leases: one writer at a time on file systems without locks, such as object stores; and owners of locks.

The folder `leases` holds entries of unique names, so that the protocol needs no exclusive create. An entry is live
while it is younger than the term *by the store's clock*: the modification time of an entry that was just written is
the present. Clocks of hosts decide nothing.

- A contender writes an entry and then lists the folder. Of two contenders the later writer sees the other one's entry;
  a contender that sees a live entry withdraws.
- The owner renews by writing a new entry before it removes the last one. A renewal counts if it has been listed while
  the last one was still safe, which is three quarters of the term from when it was *sent*, by the owner's monotonic
  clock. The last quarter absorbs coarse modification times and a write in flight.
- The fence of an owner that could not renew while it was safe is closed: see `FencedFiles` of the kernel, through which
  all files that make a checkpoint valid are written. Such an owner goes on if its last entry is still there, which a
  successor removes when it takes the lease, and if there is no entry of another process. Otherwise, and after a further
  term, it has lost the lease for good.
- An entry names the term of its owner: a contender with a shorter one waits for the longer.
"""

from __future__ import annotations

import json
import math
import os
import random
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from compiled_plan.plans.errors import BusyError
from compiled_plan.plans.execution.spark.storage import Folder
from compiled_plan.plans.files.folders import ReadableFolder
from compiled_plan.plans.inspection.checkpoints import json_in

LEASES = "leases"
#: The default life of an entry, in seconds.
TERM = 60.0
#: The pause between two reports of a wait, in seconds.
_REPORTS = 10.0
#: A time before all times of all clocks.
_LONG_AGO = -1e12
#: Fractions of the term: how long the owner may write, the pause between renewals, and the pause after a failed one.
_SAFE, _RENEW, _RETRY = 0.75, 0.25, 0.05
#: Attempts of a contender that meets only contenders.
_ATTEMPTS = 10


class Lease:
    """A lease on a checkpoint. `take` and `renew` talk to the store; `keep` renews in a thread.

    Args:
        folder: the root of the checkpoint.
        term: lifetime of an entry, in seconds.
        clock: seconds that pass at the rate of the store's clock, from any origin.
        fence: called at each renewal with the time, by `clock`, until which files may be written.
        wait: pauses a contender before it tries again.
        report: prints a line about a wait for the store.
    """

    def __init__(
        self,
        folder: Folder,
        term: float = TERM,
        clock: Callable[[], float] = time.monotonic,
        fence: Callable[[float], None] = lambda until: None,
        wait: Callable[[float], object] = time.sleep,
        report: Callable[[str], None] = lambda line: print(line, file=sys.stderr, flush=True),
    ) -> None:
        self._folder, self._term, self._clock, self._fence, self._wait = folder, term, clock, fence, wait
        self._owner = this_process() | {"id": uuid4().hex, "term": term}
        self._report, self._reported_at = report, -math.inf
        #: The last entry that counts.
        self._last = ""
        self._own: list[str] = []
        #: The owners whose entries had expired when this one took the lease.
        self._superseded: set[str] = set()
        self._renewed_at, self._until = 0.0, 0.0
        self._lost = False
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None

    def holds(self) -> bool:
        """True while this process may write."""
        return not self._lost and self._clock() < self._until

    def take(self) -> None:
        """Take the lease.

        Raises:
            BusyError: another process holds it; the message names the process.
        """
        try:
            for attempt in range(1, _ATTEMPTS + 1):
                sent = self._clock()
                rival = self._claim()
                if rival is None:
                    self._until = sent + _SAFE * self._term
                    self.renew()
                    return
                if "until" in rival or attempt == _ATTEMPTS:
                    raise self._busy(rival)
                self._withdraw()
                # Randomize by the duration of an attempt: contenders that start in step must fall out of step.
                self._wait(random.uniform(0, 2 * attempt) * max(self._clock() - sent, 0.001))
        except BaseException:
            self._withdraw()
            raise

    def _claim(self) -> dict[str, object] | None:
        """Write an entry and look for live ones of other processes; return the owner of one of these, or None."""
        name = self._write(self._owner)
        times = self._times()
        if name not in times:
            # The store was so slow that the own entry has expired.
            return {}
        owners = self._owners(times)
        live = [owner for entry, owner in owners.items() if times[entry] >= times[name] - self._life(owner)]
        self._superseded = {str(owner.get("id")) for owner in owners.values()}
        self._renewed_at, self._last = times[name], name
        return max(live, key=lambda owner: "until" in owner, default=None)

    def renew(self) -> None:
        """Extend the lease.

        Raises:
            BusyError: the lease is lost.
            Exception: the store failed; the lease keeps its previous end.
        """
        sent = self._clock()
        # For people, and for earlier releases, which rely on it.
        name = self._write(self._owner | {"until": time.time() + self._term})
        times = self._times()
        owners = self._owners(times)
        rivals = [owner for owner in owners.values() if str(owner.get("id")) not in self._superseded]
        # The store's clock reveals a pause that the monotonic clock misses, such as that of a virtual machine.
        late = not self.holds() or times.get(name, math.inf) - self._renewed_at > self._term
        is_last = name in times and self._last in times and not rivals
        if self._lost or any("until" in owner for owner in rivals) or (late and not is_last):
            self._lose()
            raise lease_lost(self._folder)
        self._renewed_at, self._until, self._last = times[name], sent + _SAFE * self._term, name
        self._fence(self._until)
        self._remove(entry for entry in [*self._own] if entry != name)
        self._remove(entry for entry, owner in owners.items() if times[entry] < times[name] - self._life(owner))

    def keep(self, lost: Callable[[], None]) -> None:
        """Renew in a thread from now on; it calls `lost` once another process has the lease, or renewals fail too long.

        Meanwhile it reports how long the run can wait for the store.
        """
        self._thread = threading.Thread(target=self._keep, args=(lost,), name="checkpoint-lease", daemon=True)
        self._thread.start()

    def _keep(self, lost: Callable[[], None]) -> None:
        pause = _RENEW
        while not self._ended.wait(pause * self._term):
            before = self._until
            # A store may hang as well as fail.
            renewal = threading.Thread(target=self._try_to_renew, name="checkpoint-lease-renewal", daemon=True)
            renewal.start()
            while renewal.is_alive() and not self._ended.is_set() and self._left() > 0:
                renewal.join(_RETRY * self._term)
                if renewal.is_alive():
                    self._report_wait()
            if self._ended.is_set():
                return
            if self._lost or self._left() <= 0:
                self._lose()
                lost()
                return
            self._report_end() if self._until > before else self._report_wait()
            pause = _RENEW if self._until > before else _RETRY

    def _lose(self) -> None:
        self._lost = True
        self._fence(_LONG_AGO)

    def _try_to_renew(self) -> None:
        with suppress(Exception):
            self.renew()

    def _left(self) -> float:
        """The seconds that remain to renew the lease, safe or late."""
        return self._until + self._term - self._clock()

    def _report_wait(self) -> None:
        now = self._clock()
        if now - self._reported_at < _REPORTS:
            return
        self._reported_at, safe, left = now, self._until - now, max(self._left(), 0)
        limit = (
            f"the lease ends in {safe:.0f} s"
            if safe > 0
            else f"the lease has ended; the run goes on if the store answers within {left:.0f} s and no other run has "
            "taken the checkpoint"
        )
        self._report(f"waiting for the store of the checkpoint {self._folder.shown}: {limit}")

    def _report_end(self) -> None:
        if self._reported_at > -math.inf:
            self._reported_at = -math.inf
            self._report(f"the store of the checkpoint {self._folder.shown} answers again, the run goes on")

    def _life(self, owner: Mapping[str, Any]) -> float:
        """The life of an owner's entries; earlier releases do not tell it."""
        return max(self._term, float(owner.get("term", TERM)))

    def release(self, remove: bool) -> None:
        """Release the lease and end the thread; with `remove` delete the folder, too."""
        self._ended.set()
        if self._thread is not None:
            self._thread.join(_SAFE * self._term)
        self._withdraw()
        self._lost = True
        if remove:
            # An entry that cannot be removed expires.
            with suppress(Exception):
                self._folder.remove_empty(LEASES)

    def _withdraw(self) -> None:
        self._remove([*self._own])

    def _write(self, owner: dict[str, object]) -> str:
        """Write an entry and return its name: a number, which earlier releases look for."""
        name = str(uuid4().int)
        self._own.append(name)
        self._folder.write_text(f"{LEASES}/{name}", json.dumps(owner))
        return name

    def _times(self) -> dict[str, float]:
        return {name: at for name, at in self._folder.times(LEASES).items() if name.isdigit()}

    def _owners(self, entries: Iterable[str]) -> dict[str, dict[str, object]]:
        """The owners of other processes' entries; empty for an entry removed since it was listed."""
        others = [entry for entry in entries if entry not in self._own]
        return {entry: owner_in(self._folder, f"{LEASES}/{entry}") for entry in others}

    def _remove(self, entries: Iterable[str]) -> None:
        for entry in entries:
            # An entry that cannot be removed expires.
            with suppress(Exception):
                self._folder.remove(f"{LEASES}/{entry}")
                if entry in self._own:
                    self._own.remove(entry)

    def _busy(self, owner: dict[str, Any]) -> BusyError:
        if "until" not in owner:
            return busy(self._folder, owner, ", or is about to")
        until = datetime.fromtimestamp(owner["until"], UTC).isoformat(timespec="seconds")
        return busy(self._folder, owner, f"; its lease ends at {until} by its clock unless it is renewed")


def lease_lost(folder: Folder) -> BusyError:
    """The error of a run whose lease ended early."""
    return BusyError(
        "the run has lost its lease on this checkpoint: it was not renewed in time, or another run has taken it; "
        "the checkpoint holds what was committed before",
        where=folder.shown,
        remedy="check that the store answers and that no other run uses the checkpoint, then start again",
    )


def this_process() -> dict[str, object]:
    """The description of this process in its locks."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return {"host": socket.gethostname(), "process": os.getpid(), "since": now}


def owner_in(folder: ReadableFolder, name: str) -> dict[str, object]:
    """The owner named in a file; empty if the file is missing or damaged."""
    with suppress(UnicodeDecodeError):
        return json_in(folder.read_text(name), dict) or {}
    return {}


def busy(folder: ReadableFolder, owner: dict[str, object], more: str = "") -> BusyError:
    """The error of a start on a checkpoint that another process holds."""
    process = f"process {owner.get('process', '?')} on {owner.get('host', '?')}"
    return BusyError(
        f"{process} runs a plan on this checkpoint since {owner.get('since', '?')}{more}",
        where=folder.shown,
        remedy="stop that run first, or name another folder with --checkpoint",
    )
