from __future__ import annotations

from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from compiled_plan.service.common.settings import Settings

IN_PYTHON = """
def main(env):
    env.execute_sql("CREATE TABLE a (id INT) WITH ('connector' = 'datagen')")
    env.execute_sql("CREATE TABLE b (id INT) WITH ('connector' = 'print')")
    print("a word")
    return env.from_path("a").insert_into("b")
"""


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    (tmp_path / "programs").mkdir()
    (tmp_path / "programs" / "copy_numbers.py").write_text(IN_PYTHON)
    (tmp_path / "elsewhere.py").write_text(IN_PYTHON)
    (tmp_path / "programs" / "link.py").symlink_to(tmp_path / "elsewhere.py")
    return Settings(home=tmp_path / "home", tokens=False, programs=(tmp_path / "programs",))


def test_compiling_stores_nothing(client: TestClient, program: str) -> None:
    compiled = client.post("compile", json={"program": program}).json()
    assert (compiled["stateful"], compiled["diff"], compiled["plan"]["flinkVersion"]) == (2, None, "2.3")
    assert len(compiled["graph"]["nodes"]) >= 4
    assert client.get("pipelines").json()["total"] == 0


def test_a_compiled_program_is_compared_with_a_pipeline(client: TestClient, orders: str, program: str) -> None:
    new = program.replace("SUM(amount)", "MAX(amount)")
    compiled = client.post("compile", json={"program": new, "over": orders}).json()
    assert (compiled["diff"]["verdict"], compiled["diff"]["new"]["name"]) == ("partial", "new")
    assert client.post("compile", json={"program": new, "over": "nothing"}).status_code == 404


def test_a_program_in_python_of_an_allowed_folder(client: TestClient) -> None:
    response = client.post("compile", json={"file": "copy_numbers.py"})
    assert (response.status_code, response.json()["operators"]) == (200, 2)


@pytest.mark.parametrize("file", ["../elsewhere.py", "link.py", "missing.py", "/etc/passwd", "..", "", "a\0b.py"])
def test_programs_outside_of_the_allowed_folders_are_refused(file: str, client: TestClient, tmp_path: Path) -> None:
    answer = client.post("compile", json={"file": file})
    assert answer.status_code == 422
    assert client.post("compile", json={"file": str(tmp_path / "elsewhere.py")}).status_code == 422


def test_findings_of_a_plan(client: TestClient, program: str) -> None:
    plan = client.post("compile", json={"program": program}).json()["plan"]
    assert client.post("validate", json={"plan": plan}).json()["valid"] is True
    plan["nodes"][0]["type"] = "nonsense"
    report = client.post("validate", json={"plan": plan}).json()
    assert (report["valid"], report["findings"][0]["pointer"]) == (False, "/nodes/0/type")
    assert client.post("validate", json={"plan": "no json"}).json()["valid"] is False


def test_completions_come_from_the_declarations_before_the_cursor(client: TestClient) -> None:
    script = "CREATE TABLE orders (customer STRING) WITH ('connector' = 'datagen');\nCREATE NONSENSE;\n"
    body = {"before": f"{script}SELECT cus", "after": " FROM orders;"}
    assert client.post("complete", json=body).json() == [{"text": "customer", "typed": 3, "shown": "customer"}]
    texts = [item["text"] for item in client.post("complete", json={"before": f"{script}SELECT * FROM "}).json()]
    assert "orders" in texts
    option = client.post("complete", json={"before": "CREATE TABLE t (a INT) WITH ('connector' = 'dat"}).json()
    assert [item["text"] for item in option] == ["datagen'"]


def test_words_are_those_of_the_grammar(client: TestClient) -> None:
    assert {"SELECT", "WATERMARK"} <= set(client.get("words").json()["keywords"])
