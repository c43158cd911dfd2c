"""House style: docstrings and Javadoc name their subject, and names in Python are domain terms."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = (
    "cli", "compiled_plan", "kernel", "planner", "plans", "samples", "schemas", "service", "tests", "tools",
)  # fmt: skip
_PRONOUN = r"(What|Who|Whose|Which|Whether|How|Where|That|Those|It)\b"
_DOCSTRING = re.compile(_PRONOUN)
_JAVADOC = re.compile(rf"/\*\*[\s*]*{_PRONOUN}")
SUBJECT = "begins with {!r}: begin with a noun phrase or an imperative verb"
PARTICIPLES = frozenset({"found", "each", "given", "told", "asked", "kept", "made", "other"})
#: Text of every module with a finding; parsing the other modules would take most of the time.
_SUSPECT = re.compile(
    rf"[\"']\s*{_PRONOUN}|(?<![\w.])(?:{'|'.join(sorted(PARTICIPLES))})\b(?=\s*(?:[=:,)\]}}(]|in\b|[-+*/|&]=|$))",
    re.MULTILINE,
)
DOMAIN = "is called {!r}: name it after the thing that it holds or does"
_TABLE_API = "a parameter of the public Table API, which programs may pass by name"
#: Names that must stay, such as fields of JSON and of the public API, by file: the reason.
ALLOWED = {
    "planner/table/expressions/plain_methods.py: other": _TABLE_API,
    "planner/table/expressions/predicates.py: other": _TABLE_API,
    "plans/execution/state/reading/model.py: kept": "in the JSON of `inspect-state`",
    "plans/execution/state/upgrade/steps.py: given": "in the JSON of upgrade steps",
}
Finding = tuple[int, str]


def pronouns(nodes: Sequence[ast.AST]) -> Iterator[Finding]:
    """Docstrings that begin with a pronoun."""
    for node in nodes:
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if match := _DOCSTRING.match(ast.get_docstring(node) or ""):
            yield node.body[0].lineno, "a docstring " + SUBJECT.format(match[1])


def pronouns_in_java(text: str) -> Iterator[Finding]:
    """Javadoc that begins with a pronoun."""
    for match in _JAVADOC.finditer(text):
        yield text.count("\n", 0, match.start(1)) + 1, "Javadoc " + SUBJECT.format(match[1])


#: Methods whose parameter PyFlink calls `other`.
NAMED_BY_PYFLINK = frozenset({"add_all", "compare_to", "concat"})


def bound(node: ast.AST) -> Iterator[tuple[int, str, str]]:
    """Line, kind and name of what a node binds; `other` is the convention for a parameter of operators."""
    match node:
        case ast.Name(id=name, ctx=ast.Store()):
            yield node.lineno, "a variable", name
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            yield node.lineno, "a variable", name
        case ast.alias(asname=str(name)):
            yield node.lineno, "an import", name
        case ast.FunctionDef(name=function) | ast.AsyncFunctionDef(name=function):
            yield node.lineno, "a function", function
            for parameter in _parameters(node.args):
                if not (parameter.arg == "other" and (function.startswith("__") or function in NAMED_BY_PYFLINK)):
                    yield parameter.lineno, "a parameter", parameter.arg
        case ast.Lambda():
            for parameter in _parameters(node.args):
                yield parameter.lineno, "a parameter", parameter.arg


def _parameters(args: ast.arguments) -> Iterator[ast.arg]:
    yield from (*args.posonlyargs, *args.args, *args.kwonlyargs)
    yield from (arg for arg in (args.vararg, args.kwarg) if arg is not None)


def participles(nodes: Sequence[ast.AST], place: str) -> Iterator[Finding]:
    """Variables, parameters and functions with a participle or pronoun as their name."""
    for node in nodes:
        for line, kind, name in bound(node):
            if name in PARTICIPLES and f"{place}: {name}" not in ALLOWED:
                yield line, f"{kind} {DOMAIN.format(name)}"


def findings(path: Path, place: str) -> list[str]:
    """The findings of a file, each with its line and the rule."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".java":
        return [f"{place}:{line}: {rule}" for line, rule in pronouns_in_java(text)]
    if not _SUSPECT.search(text):
        return []
    nodes = list(ast.walk(ast.parse(text)))
    return [f"{place}:{line}: {rule}" for line, rule in sorted({*pronouns(nodes), *participles(nodes, place)})]


def places() -> dict[str, Path]:
    """The files of the repository, by path."""
    files = (path for folder in FOLDERS for suffix in ("py", "java") for path in (ROOT / folder).rglob(f"*.{suffix}"))
    return {path.relative_to(ROOT).as_posix(): path for path in sorted(files)}


@pytest.mark.slow
def test_docstrings_name_their_subject_and_names_are_domain_terms() -> None:
    assert "\n".join(finding for place, path in places().items() for finding in findings(path, place)) == ""


def test_allowed_names_are_in_use() -> None:
    used = {
        f"{place}: {name}"
        for place in {entry.partition(": ")[0] for entry in ALLOWED}
        for node in ast.walk(ast.parse((ROOT / place).read_text(encoding="utf-8")))
        for _, _, name in bound(node)
    }
    assert set(ALLOWED) - used == set(), "remove these entries"


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ('"""What it is."""', ["1: a docstring begins with 'What'"]),
        ('class A:\n    """\n    Whether it is.\n    """', ["2: a docstring begins with 'Whether'"]),
        ('def f():\n    """It runs."""\nasync def g():\n    """Those."""', ["2: a docstring begins with 'It'",
         "4: a docstring begins with 'Those'"]),
        ('"""Items of a plan."""\ndef f():\n    """Return it."""', []),
        ("found = 1", ["1: a variable is called 'found'"]),
        ("[each for each in x]", ["1: a variable is called 'each'"]),
        ("class A:\n    kept: int = 0", ["2: a variable is called 'kept'"]),
        ("def told(given, *, asked=1):\n    pass", ["1: a function is called 'told'",
         "1: a parameter is called 'asked'", "1: a parameter is called 'given'"]),
        ("def f(*found, **made):\n    pass", ["1: a parameter is called 'found'", "1: a parameter is called 'made'"]),
        ("lambda other: other", ["1: a parameter is called 'other'"]),
        ("with f() as found:\n    pass", ["1: a variable is called 'found'"]),
        ("try:\n    f()\nexcept E as told:\n    pass", ["3: a variable is called 'told'"]),
        ("match f():\n    case [given, *found]:\n        pass", ["2: a variable is called 'found'",
         "2: a variable is called 'given'"]),
        ("if found := f():\n    pass", ["1: a variable is called 'found'"]),
        ("import a as other", ["1: an import is called 'other'"]),
        ("class A:\n    def __eq__(self, other): return other.found == self.kept", []),
    ],
)  # fmt: skip
def test_a_violation_in_python_is_reported(text: str, lines: list[str], tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(text)
    assert [finding.rpartition(":")[0] for finding in findings(tmp_path / "a.py", "a.py")] == [
        f"a.py:{line}" for line in lines
    ]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("/** What it is. */", ["1"]),
        ("class A {\n  /**\n   * Where it is.\n   */\n  int a;\n}", ["3"]),
        ("/** Its rows. */\n/* What. */\n// What", []),
    ],
)
def test_a_violation_in_java_is_reported(text: str, lines: list[str], tmp_path: Path) -> None:
    (tmp_path / "A.java").write_text(text)
    assert [finding.split(":")[1] for finding in findings(tmp_path / "A.java", "A.java")] == lines
