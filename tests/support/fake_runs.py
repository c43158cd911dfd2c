"""A stand-in for `execute-plan` without Spark: `fake.do` in its `--conf-file` selects the behaviour."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType
from typing import Any

from compiled_plan.plans.inspection.checkpoints import FORMAT
from compiled_plan.plans.telemetry.progress_file import ProgressFile
from compiled_plan.plans.text.properties import read_properties
from compiled_plan.plans.text.secrets import secrets_in
from compiled_plan.service.runs.generations import generation_of

COMMAND = (sys.executable, "-m", "tests.support.fake_runs")
#: The same, but requests that only ask a question are answered at once.
_ASKED = 'case " $* " in *" --dry-run "*) echo "{}" ;; *) exec "$0" -m tests.support.fake_runs "$@" ;; esac'
QUICK_COMMAND = ("/bin/sh", "-c", _ASKED, sys.executable)
#: A stand-in for `inspect-state`.
INSPECT = ("/bin/sh", "-c", """echo '{"version": 1, "state": {"operators": []}}'""", "inspect-state")


def counts(checkpoint: Path, generation: int) -> None:
    """Put a generation in force."""
    heads = checkpoint / "heads"
    heads.mkdir(exist_ok=True)
    facts = {"format": FORMAT, "generation": generation, "program": 1, "by": "", "at": "", "product": ""}
    (heads / str(len(list(heads.iterdir())) + 1)).write_text(json.dumps(facts))


def shadow(checkpoint: Path, progress: Path, due: Path, *, promotes: bool) -> None:
    """A shadow run that has compared, and takes over once it is due and no run is active."""
    report = {"outcome": "equal", "rows_in": 30, "rounds": 2, "seconds": 4.5, "batch": 3, "tables": []}
    ProgressFile(progress).tell({"event": "shadow", "report": report})
    while not due.exists():
        time.sleep(0.02)
    with (checkpoint / "alone").open("a") as alone:
        fcntl.flock(alone, fcntl.LOCK_EX)
        if not promotes:
            print("error: it differs otherwise\n  at: there\n  try: look at it", file=sys.stderr)
            sys.exit(1)
        counts(checkpoint, generation_of(checkpoint) + 1)
    print(json.dumps({**report, "promoted": generation_of(checkpoint)}))


def main() -> None:
    arguments = sys.argv[1:]

    def option(name: str) -> str:
        return arguments[arguments.index(name) + 1] if name in arguments else ""

    checkpoint = Path(option("--checkpoint"))
    checkpoint.mkdir(parents=True, exist_ok=True)
    if "--shadow" in arguments:
        places = Path(option("--progress-file")), Path(option("--promote-when"))
        shadow(checkpoint, *places, promotes="--markdown" not in arguments)
        return
    alone = (checkpoint / "alone").open("a")
    try:
        fcntl.flock(alone, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        (checkpoint / "two-runs").touch()
    generation = generation_of(checkpoint)
    if "--rollback" in arguments:
        (checkpoint / "rolled-back").touch()
        counts(checkpoint, generation - 1)
        print('{"generation": 1}')
        return
    if "--prune" in arguments:
        (checkpoint / "pruned").touch()
        print('{"removed": [1]}')
        return
    if "--adopt-generation" in arguments:
        if option("--adopt-generation") != "2":
            print("error: the generation cannot count\n  try: name one that is there", file=sys.stderr)
            sys.exit(1)
        counts(checkpoint, 2)
        print('{"generation": 2}')
        return
    if "--rewind-to" in arguments:
        if option("--rewind-to") != "1/57":
            print("error: the micro-batch is not retained\n  try: choose one of these", file=sys.stderr)
            sys.exit(1)
        if "--dry-run" not in arguments:
            counts(checkpoint, generation + 1)
        print('{"generation": 2}')
        return
    conf = option("--conf-file")
    settings = read_properties(Path(conf).read_text(), conf) if conf else {}
    do = settings.get("fake.do", "run")
    if option("--upgrade") and settings.get("fake.upgrade") == "refuse":
        do = "refuse"
    progress = ProgressFile(Path(option("--progress-file")))

    def tell(event: str, **what: Any) -> None:
        progress.tell({"event": event, "at": datetime.now(UTC).isoformat().replace("+00:00", "Z"), **what})

    def failed(error: str, *, refused: bool) -> None:
        print(f"error: {error}", file=sys.stderr, flush=True)
        tell("failed", error="E", message=error, where="there", remedy="mend it", refused=refused)
        sys.exit(1)

    print("it starts, password=hush", flush=True)
    said = ""
    if settings.get("fake.says") == "secrets":
        secrets = secrets_in(json.loads(Path(arguments[-1]).read_text())) | secrets_in(settings)
        said = f" with {' and '.join(sorted(secrets))}"
        print(f"it connects{said}", flush=True)
    if do == "clock":
        if "--allow-clock-jump" not in arguments:
            failed("the clock has jumped", refused=True)
        do = "finish"
    if do == "refuse":
        failed("the plan does not fit the checkpoint", refused=True)
    if option("--upgrade"):
        texts = ("the state of join-1 is read", "it is written into generation 2")
        steps = [{"step": kind, "text": text} for kind, text in zip(("read-state", "write-state"), texts, strict=True)]
        tell("upgrade", version=1, steps=steps)
    tell("start", version=1, plan=arguments[-1], bounded=False)
    if option("--upgrade"):
        for number in (1, 2):
            tell("step", number=number)
            time.sleep(0.3)
    if settings.get("fake.moves") != "no" and (option("--upgrade") or not generation):
        counts(checkpoint, generation + 1)
    if option("--upgrade") and settings.get("fake.upgrade") == "crash":
        do = "crash"
    if do == "crash":
        failed(f"the database does not answer{said}", refused=False)

    def stop(number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGTERM, lambda number, frame: (checkpoint / "two-signals").touch())
        tell("end", batches=1, rowsIn=10, rowsOut=5, stopped=True, deadLetters=0)
        (checkpoint / "stops").open("a").write(f"{os.getpid()}\n")
        sys.exit(143)

    signal.signal(signal.SIGTERM, stop)
    while do == "idle":
        time.sleep(0.05)
    number = 0
    while do != "finish" or number < 1:
        source = {"name": "orders", "rows": 10, "lag": 3, "lagUnit": "records"}
        operator = {"uid": "join-1", "rowsIn": 10, "rowsOut": 5, "stateRows": 7, "stateBytes": 70}
        figures = {"rowsIn": 10, "rowsOut": 5, "deadLetters": 0, "batchMillis": 20, "watermark": None}
        tell("batch", batch=number, **figures, sources=[source], operators=[operator])
        number += 1
        time.sleep(0.02 if do == "finish" else 0.2)
    tell("end", batches=1, rowsIn=10, rowsOut=5, stopped=False, deadLetters=0)


if __name__ == "__main__":
    main()
