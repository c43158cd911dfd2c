"""Print a library of Maven Central and its dependencies with hashes, in the format of `jars.txt`.

    python -m tools.services.resolve org.apache.kafka:kafka_2.13:4.1.1

Ivy, which comes with Spark, resolves the dependencies. It checks downloads against the repository's checksums; review
the diff before you commit it.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from tools.services.kafka import java_program

_PATTERN = "[organisation]__[artifact]__[revision].[ext]"


def resolved(coordinates: str, folder: Path) -> list[str]:
    """The lines of a library in `jars.txt`.

    Raises:
        subprocess.CalledProcessError: Ivy failed.
    """
    spark = find_spec("pyspark")
    assert spark is not None and spark.submodule_search_locations
    (ivy,) = Path(spark.submodule_search_locations[0], "jars").glob("ivy-*.jar")
    command = [java_program(), "-cp", str(ivy), "org.apache.ivy.Main", "-cache", str(folder / "cache")]
    command += ["-confs", "default", "-dependency", *coordinates.split(":")]
    command += ["-retrieve", f"{folder}/jars/{_PATTERN}", "-types", "jar", "bundle"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    jars = sorted((folder / "jars").iterdir())
    return [f"{jar.stem.replace('__', ':')} {hashlib.sha256(jar.read_bytes()).hexdigest()}" for jar in jars]


def main() -> int:
    """Run the command."""
    for coordinates in sys.argv[1:]:
        with TemporaryDirectory() as folder:
            print(*resolved(coordinates, Path(folder)), sep="\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
