"""Write the software bill of materials of a wheel next to it, as CycloneDX JSON, and validate it.

    python -m tools.sbom dist/compiled_plan-0.2.0-py3-none-any.whl

It lists the wheel and its kernel jar, third-party files of the page, the Python packages of `requirements/service.txt`
with their hashes, the jars of pyspark, and the jars that a run may download.
"""

from __future__ import annotations

import hashlib
import re
import sys
import zipfile
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path

from cyclonedx.model import HashAlgorithm, HashType, Property
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.model.license import LicenseExpression
from cyclonedx.output.json import JsonV1Dot6
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packageurl import PackageURL

from compiled_plan.plans.connectors.jars import ALL

ROOT = Path(__file__).resolve().parent.parent
_LOCK = ROOT / "requirements" / "service.txt"
_VENDORED = ROOT / "service" / "page" / "vendor" / "VENDORED.md"


def bill(wheel: Path) -> Bom:
    """The bill of materials of a wheel."""
    name, version = wheel.name.split("-")[:2]
    bom = Bom()
    root = _component(
        name.replace("_", "-"),
        version,
        PackageURL("pypi", name=name.replace("_", "-"), version=version),
        [_sha256(wheel.read_bytes())],
        scope="wheel",
        type=ComponentType.APPLICATION,
        license="Apache-2.0",
    )
    bom.metadata.component = root
    packages = list(_python_packages())
    kernel, vendored, brought, fetched = _kernel(wheel, version), _vendored(), _spark_jars(), _fetched_jars()
    inside, needed = [kernel, *vendored], [*packages, *fetched]
    spark = next(package for package in packages if package.name == "pyspark")
    jars = list(brought)
    for component in (*inside, *needed, *jars):
        bom.components.add(component)
    bom.register_dependency(root, [*inside, *needed])
    bom.register_dependency(spark, jars)
    return bom


def _component(
    name: str,
    version: str,
    purl: PackageURL | None,
    sha256: Iterable[str],
    *,
    scope: str,
    type: ComponentType = ComponentType.LIBRARY,
    license: str = "",
    group: str | None = None,
) -> Component:
    return Component(
        name=name,
        version=version,
        group=group,
        type=type,
        purl=purl,
        bom_ref=f"{scope}:{group or ''}:{name}:{version}",
        hashes=[HashType(alg=HashAlgorithm.SHA_256, content=digest) for digest in sha256],
        licenses=[LicenseExpression(license)] if license else (),
        properties=[Property(name="compiled-plan:scope", value=scope)],
    )


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _kernel(wheel: Path, version: str) -> Component:
    with zipfile.ZipFile(wheel) as files:
        (jar,) = (name for name in files.namelist() if name.endswith(".jar"))
        digest = _sha256(files.read(jar))
    return _component(Path(jar).stem, version, None, [digest], scope="wheel", license="Apache-2.0")


def _vendored() -> Iterator[Component]:
    """The page's files that VENDORED.md lists."""
    for line in _VENDORED.read_text(encoding="utf-8").splitlines():
        if line.startswith("| `"):
            file, name, version, _, license, digest = (cell.strip().strip("`") for cell in line.strip("|").split("|"))
            purl = PackageURL("npm", name=name.lower(), version=version, subpath=Path(file).name)
            yield _component(file, version, purl, [digest], scope="page", license=license.split()[0])


def _python_packages() -> Iterator[Component]:
    """The pinned packages with the hashes of all their files."""
    for block in re.split(r"\n(?=[a-z0-9])", _LOCK.read_text(encoding="utf-8")):
        if pinned := re.match(r"([a-z0-9][a-z0-9._-]*)==(\S+)", block):
            name, version = pinned.groups()
            purl = PackageURL("pypi", name=name, version=version)
            yield _component(name, version, purl, re.findall("sha256:([0-9a-f]{64})", block), scope="python")


def _fetched_jars() -> Iterator[Component]:
    for package in ALL:
        group, name, version = package.coordinates.split(":")
        purl = PackageURL("maven", namespace=group, name=name, version=version)
        yield _component(name, version, purl, [package.sha256], scope="fetched by a run", group=group)


def _spark_jars() -> Iterator[Component]:
    """The jars of pyspark, with coordinates if the jar contains them."""
    spark = find_spec("pyspark")
    assert spark is not None and spark.submodule_search_locations
    for jar in sorted(Path(spark.submodule_search_locations[0], "jars").glob("*.jar")):
        group, name, version = _coordinates(jar)
        purl = PackageURL("maven", namespace=group, name=name, version=version) if group else None
        yield _component(name, version, purl, [_sha256(jar.read_bytes())], scope="pyspark", group=group)


def _coordinates(jar: Path) -> tuple[str | None, str, str]:
    """Group, name and version; from the file name if the jar contains none, or those of several libraries."""
    named = re.fullmatch(r"(.+?)-(\d.*)", jar.stem)
    name, version = named.groups() if named else (jar.stem, "")
    with zipfile.ZipFile(jar) as files:
        for entry in files.namelist():
            if re.fullmatch(rf"META-INF/maven/[^/]+/{re.escape(name)}/pom\.properties", entry):
                facts = dict(line.split("=", 1) for line in files.read(entry).decode().splitlines() if "=" in line)
                return facts.get("groupId", "").strip() or None, name, version
    return None, name, version


def main() -> int:
    """Run the command."""
    wheel = Path(sys.argv[1])
    text = JsonV1Dot6(bill(wheel)).output_as_string(indent=1)
    if fault := JsonStrictValidator(SchemaVersion.V1_6).validate_str(text):
        print(f"sbom: invalid bill of materials: {fault}", file=sys.stderr)
        return 1
    target = wheel.with_suffix(".cdx.json")
    target.write_text(text, encoding="utf-8")
    print(f"{target.name} lists {text.count('bom-ref')} components")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
