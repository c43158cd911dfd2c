"""Texts of programs in Markdown: shown as they are, and no markup."""

from __future__ import annotations

import html

import pytest
from markdown_it import MarkdownIt

from compiled_plan.plans.inspection.diff.markdown import code, fenced, plain, table

TEXTS = (
    "a <img src=x> b",
    "a` <img src=x>",
    "`a` <b> `c",
    "`` <b> `",
    "a``b <i> c`d",
    "[text](http://x) ![i](y) *b* _c_ ~~d~~ &lt; \\<",
    "a\n# b\n- c",
    "```\n<b>\n```",
    "`",
)


def shown(text: str) -> str:
    """The text of a paragraph or cell, without its elements; fails for elements other than code."""
    rendered = MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(text)
    for element in ("p", "code", "pre", "table", "thead", "tbody", "tr", "th", "td"):
        rendered = rendered.replace(f"<{element}>", "").replace(f"</{element}>", "")
    assert "<" not in rendered, rendered
    return html.unescape(rendered).strip()


@pytest.mark.parametrize("text", TEXTS)
def test_a_text_is_shown_and_no_markup(text: str) -> None:
    words = text.replace("\n", " ").replace("`", "").split()
    assert shown(plain(text)).replace("`", "").split() == words
    assert shown(code(text)).split() == text.replace("\n", " ").split()
    assert shown("\n".join(table(("a",), [[plain(text)]]))).replace("`", "").split() == ["a", *words]
    assert (
        MarkdownIt().render("\n".join(fenced(text, "")))
        == f"<pre><code>{html.escape(text, quote=False)}\n</code></pre>\n"
    )


def test_backticks_mark_code() -> None:
    assert plain("write `a_b`, not a_b") == "write `a_b`, not a\\_b"
