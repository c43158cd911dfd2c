"""The layout of programs in the editor."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from compiled_plan.planner.sql.grammar.tokens import tokenize
from tests.conformance.cases import cases, categories
from tests.service.page.conftest import Open

pytestmark = pytest.mark.page

ROOT = Path(__file__).parents[3]
_LAYOUT = """async (texts) => {
  const page = new URL(document.querySelector('script[src*="js/main.js"]').src);
  const { format, spacing } = await import(new URL("components/sql_format.js", page));
  const replace = (text, changes) =>
    changes.reduceRight((now, { from, to, insert }) => now.slice(0, from) + insert + now.slice(to), text);
  return texts.map((text) => {
    const once = format(text);
    return [once, format(once), replace(text, spacing(text, once))];
  });
}"""


def _programs() -> Iterator[str]:
    """The SQL programs of samples, tests and documents."""
    for folder in ("samples", "tests"):
        yield from (path.read_text(encoding="utf-8") for path in sorted((ROOT / folder).rglob("*.sql")))
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        yield from re.findall(r"^```sql\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    for case in cases(*categories()):
        yield (case.folder / "program.sql").read_text(encoding="utf-8")


#: Pieces of the grammar that the programs above lack.
ODD = """set 'a'='b';SET table.exec.state.ttl=1-h;RESET a.b-c;
CREATE TABLE t (`end``x` ROW<x INT,y ARRAY<ROW<z STRING>>>, `end` MAP<STRING,INT> COMMENT 'it''s -- no comment') -- note
WITH ('a'='b') // another
;EXECUTE STATEMENT SET BEGIN INSERT INTO s SELECT /*+ STATE_TTL('o'='1d') */ CASE WHEN a THEN b END,U&'\\00e4',x'0aff',
f(arr,x->x+1),ARRAY[1,2][1],MAP['a',1],'a'
'b',- -1,a - -b,JSON_OBJECT('k':1) FROM o/*+ OPTIONS('k'='v') */,LATERAL TABLE(g(x=>1)) AS l LIMIT 3;END;
/* sql-formatter-disable */ SELECT  1;
SELECT T.a FROM t MATCH_RECOGNIZE(PARTITION BY u ORDER BY p MEASURES LAST(A.id) AS a ALL ROWS PER MATCH
PATTERN (A B+? {-C-} D{2,3}|E??)
DEFINE A AS x BETWEEN 1 AND 2) AS T"""


def _tokens(text: str) -> list[tuple[str, ...]]:
    """The tokens of the product's grammar with the comments before them, without white space."""
    tokens, at = [], 0
    for token in tokenize(text):
        comments = text[at : token.start].split()
        tokens.append((*comments, text[token.start : token.end]))
        at = token.end
    return tokens


def test_the_layout_keeps_tokens_and_is_stable(open_page: Open) -> None:
    programs = [*_programs(), ODD]
    assert len(programs) > 400
    page = open_page("new")
    expect(page.locator(".cm-content")).to_be_visible()
    for program, (once, twice, replaced) in zip(programs, page.evaluate(_LAYOUT, programs), strict=True):
        assert _tokens(once) == _tokens(program)
        assert once == twice == replaced


def test_pieces_that_end_with_a_gap_stay_together(open_page: Open) -> None:
    page = open_page("new")
    expect(page.locator(".cm-content")).to_be_visible()
    ((once, *_),) = page.evaluate(_LAYOUT, [ODD])
    for piece in (
        "ttl = 1-h;",
        "RESET a.b-c;",
        "'a'\n'b'",
        "ROW<x INT,y ARRAY<ROW<z STRING>>>",
        "disable */ SELECT  1;",
    ):
        assert piece in once


def test_one_key_formats_and_one_takes_it_back(open_page: Open) -> None:
    page = open_page("new")
    editor = page.get_by_role("textbox", name="SQL program")
    editor.fill("INSERT INTO s SELECT a,\nb FROM t WHERE a=1 AND here")
    expect(editor).to_contain_text("here")
    page.keyboard.press("Control+Home")
    page.keyboard.press("End")
    page.keyboard.press("Shift+Alt+F")
    lines = page.locator(".cm-line")
    expect(lines).to_have_text(["INSERT INTO s", "SELECT", "  a,", "  b", "FROM t", "WHERE", "  a = 1", "  AND here"])
    expect(editor).to_be_focused()
    page.keyboard.press("Control+z")
    expect(lines).to_have_text(["INSERT INTO s SELECT a,", "b FROM t WHERE a=1 AND here"])
    page.get_by_role("button", name="Format", exact=True).click()
    expect(lines).to_have_count(8)
    # The cursor is still behind the comma.
    page.keyboard.type("x")
    expect(lines.nth(2)).to_have_text("  a,x")


def test_a_text_that_cannot_be_read_stays(open_page: Open) -> None:
    page = open_page("new")
    editor = page.get_by_role("textbox", name="SQL program")
    editor.fill("SELECT a,\n  (b FROM t")
    page.get_by_role("button", name="Format", exact=True).click()
    expect(page.locator("#messages")).to_have_text("Not formatted: something is not closed (line 2, column 12)")
    expect(page.locator(".cm-line")).to_have_text(["SELECT a,", "  (b FROM t"])
    expect(editor).to_be_focused()


def test_keys_of_the_editor_are_listed(open_page: Open) -> None:
    page = open_page("pipelines")
    expect(page.locator(".pipelines-table tbody tr").first).to_be_visible()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("Shift+Alt+F")
