"""Record what Hadoop makes of some texts: `python -m tests.plans.text.hadoop_paths` writes `hadoop_paths.json`."""

from __future__ import annotations

import json
from pathlib import Path

from tests.support.hadoop_paths import Answer, answers, generated

RECORDED = Path(__file__).with_suffix(".json")


def recorded() -> list[tuple[str, Answer | None]]:
    """Texts with Hadoop's answers, without the files of the machine that recorded them."""
    rows = json.loads(RECORDED.read_text(encoding="utf-8"))
    return [(text, Answer(parts[0], parts[1], parts[2], "") if parts else None) for text, parts in rows]


def main() -> None:
    texts = generated(400, seed=1)
    rows = [json.dumps([text, answer and answer[:3]]) for text, answer in zip(texts, answers(texts), strict=True)]
    RECORDED.write_text("[\n" + ",\n".join(rows) + "\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
