"""Spark's internal classes in the kernel are those that `kernel/spark.toml` gives a reason for."""

from __future__ import annotations

from tools.reference.spark_internals import Declared, classes_in, internals, used_classes

DECLARED = Declared.read()
INTERNAL = {name for name in used_classes() if not DECLARED.is_public(name)}


def test_every_internal_class_belongs_to_one_group() -> None:
    groups = {name: [group.title for group in DECLARED.internal if group.has(name)] for name in INTERNAL}
    assert {name: titles for name, titles in groups.items() if len(titles) != 1} == {}


def test_no_declaration_is_left_over() -> None:
    patterns = [*DECLARED.public, *(pattern for group in DECLARED.internal for pattern in group.classes)]
    assert len(patterns) == len(set(patterns))
    for group in DECLARED.internal:
        assert all(any(_of(pattern, name) for name in INTERNAL) for pattern in group.classes), group.title
    unused = [pattern for pattern in DECLARED.public if not any(_of(pattern, name) for name in used_classes())]
    assert unused == []


def _of(pattern: str, name: str) -> bool:
    return name == pattern or (pattern.endswith("*") and name.startswith(pattern[:-1]))


def test_internal_packages_are_not_public() -> None:
    marks = (".catalyst.", ".execution.", ".internal.", ".classic.")
    assert [pattern for pattern in DECLARED.public if any(mark in f".{pattern}." for mark in marks)] == []


def test_the_scan_reads_code_alone() -> None:
    java = """
    import org.apache.spark.sql.catalyst.InternalRow;
    import static org.apache.spark.sql.functions.col;
    /** {@link org.apache.spark.sql.catalyst.Commented} */
    class A { String name = "org.apache.spark.sql.Named"; org.apache.spark.rdd.RDD<Long> rows; }
    """
    assert classes_in(java) == {"sql.catalyst.InternalRow", "sql.functions", "rdd.RDD"}


def test_the_table_has_every_group() -> None:
    rows = internals()
    assert all(f"| {group.title} |" in rows for group in DECLARED.internal)
