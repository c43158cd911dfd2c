"""Functions in Java, `java/Samples.java`, compiled against Flink's interfaces."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from tools import maven
from tools.build_kernel import FLINK

#: The prefix of the names of their classes.
SAMPLES = "org.example.Samples$"


def compiled_samples(folder: Path) -> Path:
    """Compile the functions into a jar in a folder."""
    classes = folder / "classes"
    path = os.pathsep.join(str(maven.fetched(library)) for library in FLINK)
    source = Path(__file__).parent / "java" / "Samples.java"
    javac = ["javac", "-nowarn", "-g", "-parameters", "--release", "17", "-cp", path, "-d", str(classes), str(source)]
    subprocess.run(javac, check=True, capture_output=True)
    subprocess.run(["jar", "cf", str(folder / "samples.jar"), "-C", str(classes), "."], check=True)
    return folder / "samples.jar"
