"""Upgrade previews, computed by the command."""

from __future__ import annotations

import sys
from itertools import pairwise
from pathlib import Path

from compiled_plan.service.app import application
from compiled_plan.service.common.settings import Settings
from compiled_plan.service.workers.pool import Workers
from tests.support.service import client_of

#: Prints its arguments.
SAYS = """
import json, sys
conf = open(sys.argv[sys.argv.index("--conf-file") + 1]).read()
print(json.dumps({"argv": sys.argv[1:], "conf": conf}))
"""
FAILS = "import sys; sys.exit('error: it does not fit\\n  at: there\\n  try: reset it, password=hush')"
FUNCTION = """
from compiled_plan import ScalarFunction


class Shout(ScalarFunction):
    def eval(self, text: str) -> str:
        return text.upper()
"""
PROGRAM = """
CREATE FUNCTION shout AS 'loud_words.Shout' LANGUAGE PYTHON;
CREATE TABLE a (t STRING) WITH ('connector' = 'datagen');
CREATE TABLE b (t STRING) WITH ('connector' = 'print');
INSERT INTO b SELECT shout(t) FROM a;
"""


def test_a_preview_uses_the_options_of_the_start(settings: Settings, workers: Workers, tmp_path: Path) -> None:
    (tmp_path / "loud_words.py").write_text(FUNCTION)
    settings = settings.model_copy(update={"programs": (tmp_path,)})
    with client_of(application(settings, workers, (sys.executable, "-c", SAYS))) as client:
        client.post("pipelines", json={"name": "shop"})
        response = client.post("pipelines/shop/versions", json={"program": PROGRAM})
        assert response.status_code == 201, response.text
        body = {"settings": {"master": "local[2]", "conf": {"spark.a": "b"}}}
        assert client.post("pipelines/shop/run/start", json=body).status_code == 200
        target = {"version": 1, "partial": True, "reset": ["join-1"], "warm_up": ["all"]}
        answer = client.post("pipelines/shop/upgrade/check", json=target)
        assert answer.status_code == 200, answer.text
        argv, conf = (answer.json()[name] for name in ("argv", "conf"))
        client.post("pipelines/shop/run/stop")
        target = {"version": 1, "partial": True, "correct": True}
        corrects = client.post("pipelines/shop/upgrade/check", json=target).json()["argv"]
    assert ("--upgrade", "correct") in pairwise(corrects)
    assert {"--dry-run", "--json", "migrate-partial"} <= set(argv)
    pairs = list(pairwise(argv))
    for pair in (
        ("--functions-from", f"loud_words={tmp_path}"),
        ("--master", "local[2]"),
        ("--reset", "join-1"),
        ("--warm-up", "all"),
    ):
        assert pair in pairs
    assert conf == "spark.a=b\n" and "spark.a" not in " ".join(argv)


def test_a_refusal_has_a_remedy(settings: Settings, workers: Workers) -> None:
    plain = PROGRAM.replace("CREATE FUNCTION shout AS 'loud_words.Shout' LANGUAGE PYTHON;", "").replace("shout(t)", "t")
    with client_of(application(settings, workers, (sys.executable, "-c", FAILS))) as client:
        client.post("pipelines", json={"name": "shop"})
        assert client.post("pipelines/shop/versions", json={"program": plain}).status_code == 201
        answer = client.post("pipelines/shop/upgrade/check", json={"version": 1})
    problem = answer.json()
    assert (answer.status_code, problem["detail"], problem["where"]) == (422, "it does not fit", "there")
    assert problem["remedy"] == "reset it, password=******"
