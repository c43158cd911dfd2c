from __future__ import annotations

import re
from collections import Counter

import pytest

from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.text.hadoop_paths import at_rest, hadoop_path
from tests.plans.text.hadoop_paths import recorded
from tests.support.hadoop_paths import Answer, answers, generated

pytestmark = pytest.mark.attack

#: Texts that Hadoop takes and that are refused here: URIs and file names that it makes differ from the text.
_STRICTER = re.compile(r"is no scheme|is no host or bucket|no file can have that name")
_DRIVE = re.compile(r"[A-Za-z0-9+.-]+:[A-Za-z]:")


def difference(text: str, answer: Answer | None) -> str:
    """The words same or stricter, or the difference of a path to Hadoop's."""
    try:
        path = hadoop_path(text)
    except ProgramError as fault:
        assert fault.remedy
        stricter = _STRICTER.search(fault.message) or _DRIVE.match(text)
        return "same" if answer is None else "stricter" if stricter else f"{text!r}: refused, and Hadoop has {answer}"
    if answer is None or (path.scheme, path.authority, path.path) != answer[:3]:
        return f"{text!r}: {path}, and Hadoop has {answer}"
    return "same" if at_rest(path.place) == path.place else f"{text!r}: {path} is another path when it is read again"


def test_recorded_answers() -> None:
    counts = Counter(difference(text, answer) for text, answer in recorded())
    assert counts.keys() == {"same", "stricter"} and counts["same"] > 250
    assert sum(answer is not None for _, answer in recorded()) > 150


@pytest.mark.deep
def test_generated_texts() -> None:
    texts = generated(10_000, seed=2)
    counts = Counter(difference(text, answer) for text, answer in zip(texts, answers(texts), strict=True))
    assert counts.keys() == {"same", "stricter"} and counts["same"] > 7_000


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("/data/a", "/data/a"),
        ("/data/a/", "/data/a"),
        ("file:/data//a", "/data/a"),
        ("file:///data/./b/../a", "/data/a"),
        ("file:/data/x#/../a?b%2Fc", "/data/a?b%2Fc"),
        ("data/a", "data/a"),
        ("./data/../../a", "../a"),
        ("s3://bucket/a/../b/", "s3://bucket/b"),
        ("file://host/a", "file://host/a"),
        ("/data/a/..", "/data"),
        ("s3://bucket/", "s3://bucket"),
        ("/", "/"),
        ("", ""),
        ("file:a", "file:a"),
    ],
)
def test_places_without_the_scheme_of_local_files(text: str, place: str) -> None:
    assert at_rest(text) == place
