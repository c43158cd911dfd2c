"""The kernel is compiled against one version of Spark, and runs on others: all that it uses of Spark is there."""

from __future__ import annotations

import re
from importlib import metadata

import pytest

from compiled_plan.plans.execution.kernel import kernel_jar
from compiled_plan.plans.spark_versions import release
from tests.support.class_files import ClassPath, Missing
from tools.build_kernel import spark_jars

pytestmark = pytest.mark.slow
#: Classes of the gate for a form that a version of Spark introduced.
_FORM = re.compile(r"org/compiledplan/kernel/host/versions/\w+?4(\d)(\$\w+)?")


@pytest.fixture(scope="module")
def missing() -> set[Missing]:
    """The references of the kernel that the installed Spark does not have."""
    return ClassPath(kernel_jar(), sorted(spark_jars().glob("*.jar")), "org/apache/spark/").missing


def test_all_that_the_kernel_uses_of_spark_exists(missing: set[Missing]) -> None:
    installed = release(metadata.version("pyspark"))
    unexpected = set()
    for reference in missing:
        form = _FORM.fullmatch(reference.user)
        if form is None or (4, int(form[1])) <= installed:
            unexpected.add(reference)
    assert unexpected == set()


@pytest.mark.skipif(release(metadata.version("pyspark")) > (4, 1), reason="the oldest Spark lacks all newer forms")
def test_each_class_of_a_newer_form_needs_it(missing: set[Missing]) -> None:
    users = {reference.user.rpartition("/")[2] for reference in missing}
    assert users == {"DriverTasks43", "FiredTimers42", "RealTimeStages43", "SourceNaming42", "TaskKills42"}
