"""The build of the kernel: once, anew where a source changed, and not where one does not compile."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.build_kernel import KernelBuildError, Target, build, is_current


@pytest.fixture
def target(tmp_path: Path) -> Target:
    folder = tmp_path / "src"
    (folder / "demo").mkdir(parents=True)
    (folder / "demo/A.java").write_text("package demo; public class A {}\n")
    return Target(folder, tmp_path / "kernel.jar")


def test_builds_once_and_again_when_a_source_changed(target: Target) -> None:
    assert not is_current(target)
    assert build(target)
    assert is_current(target)
    assert not build(target)
    (target.sources / "demo/A.java").write_text("package demo; public class A { int changed; }\n")
    assert not is_current(target)


def test_a_jar_is_built_of_another_and_again_when_that_changed(target: Target, tmp_path: Path) -> None:
    above = Target(tmp_path / "above", tmp_path / "above.jar", needs=target)
    above.sources.mkdir()
    (above.sources / "B.java").write_text("class B extends demo.A {}\n")
    assert build(target)
    assert build(above)
    (target.sources / "demo/A.java").write_text("package demo; public class A { int changed; }\n")
    assert not is_current(above)


def test_java_that_does_not_compile_is_shown_and_leaves_no_jar(target: Target) -> None:
    (target.sources / "demo/A.java").write_text("package demo; public class A { nonsense }\n")
    with pytest.raises(KernelBuildError, match=r"A\.java:1"):
        build(target)
    assert not target.jar.exists()
