"""Start a pipeline of a service and print the URL of its page: `runs.py LOG PIPELINE`."""

from __future__ import annotations

import json
import re
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

#: Timeout for the start of a service, in seconds.
PATIENCE = 60


def address_and_token(log: Path) -> tuple[str, str]:
    """Address and first token from the service's log."""
    for _ in range(PATIENCE * 10):
        text = log.read_text(encoding="utf-8") if log.exists() else ""
        address = re.search(r"^plan-service: (https?://\S+)", text, re.MULTILINE)
        token = re.search(r"^plan-service: .* token, shown only once: (\S+)$", text, re.MULTILINE)
        if address and token:
            return address[1], token[1]
        if "error" in text.lower():
            break
        time.sleep(0.1)
    sys.exit(f"the service did not start:\n{log.read_text(encoding='utf-8') if log.exists() else ''}")


def ask(address: str, token: str, path: str, method: str = "GET", body: object = None) -> object:
    """Send one request to the API."""
    data = None if body is None else json.dumps(body).encode()
    headers = {"authorization": f"Bearer {token}", "content-type": "application/json", "idempotency-key": path}
    request = urllib.request.Request(f"{address}/api/v1{path}", data=data, method=method, headers=headers)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


def main() -> None:
    """Start the pipeline, if the service manages runs."""
    log, name = Path(sys.argv[1]), sys.argv[2]
    address, token = address_and_token(log)
    for _ in range(PATIENCE * 10):
        try:
            described = ask(address, token, "/openapi.json")
            break
        except urllib.error.URLError:
            time.sleep(0.1)
    else:
        sys.exit(f"the service at {address} does not answer")
    assert isinstance(described, dict)
    shown, has_runs = "/pipelines", "/api/v1/pipelines/{name}/run/start" in described["paths"]
    if has_runs:
        ask(address, token, f"/pipelines/{name}/run/start", "POST", {})
        shown = f"/pipelines/{name}"
        print(f"\n{name} starts; its first figures come when Spark is up.")
    print(f"\nOpen   {address}/#{shown}\nToken  {token}")


if __name__ == "__main__":
    main()
