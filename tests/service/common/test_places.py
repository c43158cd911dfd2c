"""The paths that a run opens: resolved once, as Hadoop and the operating system resolve them."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path

import pytest

from compiled_plan.plans.errors import ProgramError, UnsupportedError
from compiled_plan.plans.text.hadoop_paths import hadoop_path
from compiled_plan.service.common.outside import check_outside, confined
from compiled_plan.service.common.places import Allowed
from tests.support.hadoop_paths import answers, generated

pytestmark = pytest.mark.attack


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """An allowed folder with links, inside and outside of it."""
    folder = tmp_path / "data"
    for name in ("a/b", "x"):
        (folder / name).mkdir(parents=True)
    for link, target in {"link": "a/b", "out": "/etc", "up": "..", "a/loop": "loop", "x/data": folder}.items():
        (folder / link).symlink_to(target)
    (tmp_path / "data-other").mkdir()
    (tmp_path / "named").symlink_to(folder)
    return folder


def opened(allowed: Allowed, text: str) -> str | None:
    try:
        return allowed.opened(text)
    except ProgramError:
        return None


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("{root}/data/x/f.json", "{root}/data/x/f.json"),
        ("file:///{root}//data/./x/../a/", "file:{root}/data/a"),
        ("{root}/data/a%2F..#b?c/[d]", "{root}/data/a%2F..#b?c/[d]"),
        ("{root}/data/link/../x", "{root}/data/x"),
        ("{root}/data/link/f", "{root}/data/a/b/f"),
        ("{root}/named/x/f", "{root}/data/x/f"),
        ("s3://bucket/in/a/../b/", "s3://bucket/in/b"),
        ("{root}/data/out/passwd", None),
        ("{root}/data/up/data-other", None),
        ("{root}/data/x#/../../../etc/hostname", None),
        ("{root}/data/a%2Fb%2F../../..", None),
        ("s3://bucket/in/%2e%2e/../../other", None),
        ("s3://bucket/in/../..", None),
        ("S3://bucket/in/a", None),
    ],
)
def test_a_run_opens_the_path_that_was_checked(text: str, path: str | None, data: Path) -> None:
    allowed = Allowed(data=(str(data), "s3://bucket/in/"))
    root = str(data.parent)
    assert opened(allowed, text.format(root=root)) == (None if path is None else path.format(root=root))


def test_a_path_keeps_the_name_of_the_allowed_folder(data: Path) -> None:
    """Files that a run has read have this name in its checkpoint."""
    named = data.parent / "named"
    assert Allowed(data=(str(named),)).opened(f"{named}/link/f") == f"{named}/a/b/f"
    assert Allowed(data=(str(named),)).opened(f"{data}/x") == f"{data}/x"


def test_relative_paths_are_absolute_in_a_run(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(data.parent)
    assert Allowed(data=("data",)).opened("data/x/../a") == f"{data}/a"


@pytest.mark.parametrize(
    ("table", "options"),
    [
        ({"connector": "filesystem", "path": "{data}//link", "dead-letter.path": "{data}/./x"},
         {"path": "{data}/a/b", "dead-letter.path": "{data}/x"}),
        ({"connector": "spark", "provider": "text", "PATH": "file://{data}/link/*.txt"},
         {"PATH": "file:{data}/a/b/*.txt"}),
        ({"connector": "spark", "provider": "text", "paths": "[\"{data}/link\", \"{data}/x/\"]"},
         {"paths": "[\"{data}/a/b\", \"{data}/x\"]"}),
        ({"connector": "filesystem", "path": "{data}/x"}, {}),
    ],
)  # fmt: skip
def test_the_plan_of_a_run_has_the_paths_that_were_checked(
    table: dict[str, str], options: dict[str, str], data: Path
) -> None:
    named, resolved = (
        {key: value.replace("{data}", str(data)) for key, value in side.items()} for side in (table, options)
    )
    text = json.dumps({"nodes": [{"number": 1.50, "table": {"options": named}}]})
    shown, plan = confined(text, Allowed(data=(str(data),)))
    assert json.loads(shown) == plan == {"nodes": [{"number": 1.5, "table": {"options": named | resolved}}]}
    assert (shown == text) == (not resolved)


@pytest.mark.parametrize(
    "options",
    [
        {"connector": "filesystem", "path": "{data}/${secret:A}/x"},
        {"connector": "spark", "provider": "text", "path": "{data}/${secret:A}"},
        {"connector": "spark", "provider": "text", "paths": '["{data}/${secret:A}"]'},
        {"connector": "kafka", "properties.ssl.keystore.location": "${secret:A}"},
        {"connector": "kafka", "dead-letter.path": "{data}/$${secret:A}"},
        {"connector": "jdbc", "url": "jdbc:sqlite:{data}/${secret:A}"},
    ],
)
def test_a_path_refers_to_no_secret(options: dict[str, str], data: Path) -> None:
    """The value of a secret is not known when a plan is checked."""
    table = {key: value.replace("{data}", str(data)) for key, value in options.items()}
    with pytest.raises(UnsupportedError, match="refers to a secret"):
        check_outside({"options": table}, Allowed(data=(str(data),)))


@pytest.mark.deep
def test_generated_paths_are_opened_as_hadoop_and_the_system_do(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(data)
    root = str(data.parent)
    starts = [
        f"{scheme}{root}{name}" for scheme in ("", "file:", "file://") for name in ("/data", "/data/link", "/named")
    ]
    texts = generated(10_000, seed=3, starts=starts)
    allowed = Allowed(data=(str(data),))
    places = [opened(allowed, text) for text in texts]
    again = iter(answers([place for place in places if place is not None]))
    kinds: Counter[str] = Counter()
    for text, place, answer in zip(texts, places, answers(texts), strict=True):
        file = "" if answer is None or answer.scheme not in ("", "file") or answer.authority else answer.file
        if place is None:
            kinds["refused"] += 1
            kinds["refused inside"] += Path(file).is_relative_to(data) and _is_path(text)
            continue
        run = next(again)
        assert run is not None and Path(file).is_relative_to(data), (text, place, answer)
        # The run opens the file that Hadoop opens for the text, and the system finds no link on its way.
        assert run.file == file == os.path.realpath(place.removeprefix("file:")) == run.path, (text, place, answer)
        kinds["opened"] += 1
    assert kinds["refused inside"] == 0 and kinds["opened"] > 2_000 and kinds["refused"] > 4_000


def _is_path(text: str) -> bool:
    try:
        hadoop_path(text)
    except ProgramError:
        return False
    return True
