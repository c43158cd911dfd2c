"""The bill of materials of a wheel."""

from __future__ import annotations

import hashlib
import json
import re
import zipfile
from pathlib import Path

import pytest

from compiled_plan.plans.connectors.jars import ALL
from tools import sbom

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
@pytest.mark.wide
def test_the_bill_lists_packages_jars_and_page_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wheel = tmp_path / "compiled_plan-0.2.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as files:
        files.writestr("compiled_plan/plans/execution/kernel/compiled-plan-kernel.jar", "a jar")
    monkeypatch.setattr(sbom.sys, "argv", ["sbom", str(wheel)])
    assert sbom.main() == 0
    bill = json.loads((tmp_path / "compiled_plan-0.2.0-py3-none-any.cdx.json").read_text())
    assert (bill["bomFormat"], bill["metadata"]["component"]["purl"]) == ("CycloneDX", "pkg:pypi/compiled-plan@0.2.0")
    hashes = {one["bom-ref"]: {digest["content"] for digest in one["hashes"]} for one in bill["components"]}
    purls = {one.get("purl") for one in bill["components"]}

    assert hashes["wheel::compiled-plan-kernel:0.2.0"] == {hashlib.sha256(b"a jar").hexdigest()}
    pins = re.findall(r"(?m)^([a-z0-9._-]+)==(\S+)", (ROOT / "requirements/service.txt").read_text())
    assert {f"pkg:pypi/{name}@{version}" for name, version in pins} <= purls
    for package in ALL:
        group, name, version = package.coordinates.split(":")
        assert f"pkg:maven/{group}/{name}@{version}" in purls
        assert hashes[f"fetched by a run:{group}:{name}:{version}"] == {package.sha256}
    assert any(purl and purl.startswith("pkg:npm/uplot@") for purl in purls)
    spark = [one for one in bill["components"] if one["bom-ref"].startswith("pyspark:")]
    assert len(spark) > 200
    assert sum("purl" in one for one in spark) > len(spark) / 3
    depends = {one["ref"]: one.get("dependsOn", []) for one in bill["dependencies"]}
    assert len(depends[next(ref for ref in depends if ref.startswith("python::pyspark:"))]) == len(spark)
