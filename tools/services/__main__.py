"""Start servers in the background, or stop them: `python -m tools.services start|stop [NAME...]`.

Their data is in `build/services/<name>`, or below `--folder`, and survives a stop.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path

from tools.services.server import Server, ServiceError, listens, services

ROOT = Path(__file__).resolve().parent.parent.parent
FOLDER = ROOT / "build" / "services"


def start(name: str, folder: Path = FOLDER) -> str:
    """Start a server unless it is running.

    Returns:
        Its address.

    Raises:
        ServiceError: it does not start.
    """
    service, known = services()[name], folder / name / "server.json"
    server = Server(service, folder / name, bound=False)
    record = json.loads(known.read_text()) if known.is_file() else None
    if record is not None and listens(record["port"]):
        server.port = record["port"]
        return server.address
    try:
        server.start()
        assert server.process is not None
        known.write_text(json.dumps({"process": server.process.pid, "port": server.port, "address": server.address}))
    except BaseException:
        server.kill()  # Without its record, `stop` does not know it.
        raise
    return server.address


def stop(name: str, folder: Path = FOLDER) -> bool:
    """Stop a server that was started here; return True if there was one."""
    known = folder / name / "server.json"
    if not known.is_file():
        return False
    record = json.loads(known.read_text())
    if listens(record["port"]):
        with suppress(ProcessLookupError):
            os.killpg(record["process"], signal.SIGINT)
        deadline = time.monotonic() + 30
        while listens(record["port"]) and time.monotonic() < deadline:
            time.sleep(0.1)
    known.unlink()
    return True


def main() -> int:
    """Run the command."""
    names = list(services())
    parser = argparse.ArgumentParser(prog="python -m tools.services", description="Start or stop servers.")
    parser.add_argument("action", choices=("start", "stop"))
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"some of {', '.join(names)}; by default all")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="for their data; by default build/services")
    arguments = parser.parse_args()
    chosen = arguments.names or names
    if not set(chosen) <= set(names):
        parser.error(f"there are: {', '.join(names)}")
    for number in (signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, lambda number, frame: sys.exit(128 + number))
    try:
        for name in chosen:
            if arguments.action == "start":
                print(f"{name}: {start(name, arguments.folder)}")
            elif stop(name, arguments.folder):
                print(f"{name}: stopped")
    except ServiceError as error:
        print(f"services: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
