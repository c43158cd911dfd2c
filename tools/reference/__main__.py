"""Update the tables of all pages."""

from __future__ import annotations

from tools.reference.pages import PAGES, current

if __name__ == "__main__":
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        if (updated := current(text)) != text:
            page.write_text(updated, encoding="utf-8")
            print(page.name)
