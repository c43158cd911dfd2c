"""The lists of pinned packages contain everything in pyproject.toml, with hashes."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from compiled_plan.plans.spark_versions import SPARK_VERSIONS
from tools.lock import LISTS

ROOT = Path(__file__).resolve().parents[2]


def wanted(extras: tuple[str, ...]) -> list[Requirement]:
    """The requirements of the project with some extras."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    requirements = [Requirement(text) for text in project["dependencies"]]
    queue = list(extras)
    while queue:
        for requirement in map(Requirement, project["optional-dependencies"][queue.pop()]):
            if requirement.name == project["name"]:
                queue += requirement.extras
            else:
                requirements.append(requirement)
    return requirements


@pytest.mark.parametrize("name", LISTS)
def test_every_requirement_is_pinned_within_its_range(name: str) -> None:
    text = (ROOT / "requirements" / f"{name}.txt").read_text()
    pins: dict[str, set[str]] = {}
    for pin, version in re.findall(r"(?m)^([a-z0-9][a-z0-9._-]*)(?:\[\S+\])?==(\S+)", text):
        pins.setdefault(pin, set()).add(version)
    faults = [
        str(requirement)
        for requirement in wanted(LISTS[name])
        if not pins.get(requirement.name.lower())
        or not all(requirement.specifier.contains(version) for version in pins[requirement.name.lower()])
    ]
    assert faults == [], "try: make lock"
    blocks = re.split(r"\n(?=[a-z0-9])", text)[1:]
    assert len(blocks) > 20
    assert [block.split()[0] for block in blocks if "--hash=sha256:" not in block] == []


def test_older_versions_of_spark_are_pinned() -> None:
    text = (ROOT / "requirements" / "older-spark.txt").read_text()
    pinned = re.findall(r"^pyspark==(\S+) --hash=sha256:[0-9a-f]{64}$", text, re.MULTILINE)
    assert pinned == [version.tested for version in SPARK_VERSIONS[1:]]


def test_the_set_up_installs_by_hash() -> None:
    script = (ROOT / "tools" / "bootstrap.sh").read_text()
    installs = [line for line in script.splitlines() if re.search(r"\bpip_install --", line)]
    assert installs
    assert all("--require-hashes" in line or "--no-deps --no-build-isolation" in line for line in installs)
