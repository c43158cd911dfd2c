"""Connectors and formats, from their specs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from compiled_plan.planner.catalog.kinds import catalog_kinds
from compiled_plan.plans.connectors.refused import FLINK_CONNECTORS, FLINK_FORMATS
from compiled_plan.plans.connectors.registry import connector_specs, format_specs
from compiled_plan.plans.connectors.table_options import Effect, OptionGroup, TableOption, Use
from compiled_plan.plans.types.changelog import ChangelogMode
from tools.reference.markdown import code, codes, table

_ROW_KINDS = {ChangelogMode.INSERT: "inserts", ChangelogMode.UPSERT: "upserts", ChangelogMode.ALL: "all changes"}


def connectors() -> str:
    """Connectors and their uses."""
    rows = (
        (
            code(item.name),
            item.doc,
            _changes(item.source.changes) if item.source else "",
            _changes(item.sink.changes) if item.sink else "",
            "yes" if item.lookup else "",
            "yes" if item.formats else "",
        )
        for item in connector_specs().values()
    )
    return table(("connector", "", "source", "sink", "lookup", "takes a format"), rows)


def catalogs() -> str:
    """Types of catalogs."""
    return table(("type", ""), ((code(name), class_.DOC) for name, class_ in catalog_kinds()))


def catalog_options() -> str:
    """The options of each type of catalog."""
    return "\n\n".join(f"### Type `{name}`\n\n{_options(class_.OPTIONS, Use.ANY)}" for name, class_ in catalog_kinds())


def _changes(changes: ChangelogMode) -> str:
    return _ROW_KINDS.get(changes, ", ".join(changes.names()))


def connector_options() -> str:
    """The options of each connector."""
    return "\n\n".join(
        f"### `{item.name}`\n\n{_options(item.all_options, item.uses, item.groups)}"
        for item in connector_specs().values()
    )


def formats() -> str:
    """Formats and the changes that they read and write."""
    rows = (
        (code(item.name), item.doc, _changes(item.reads), _changes(item.writes)) for item in format_specs().values()
    )
    return table(("format", "", "reads", "writes"), rows)


def format_options() -> str:
    """The options of each format, which have the format's name and a dot as prefix in a table's WITH."""
    parts = []
    for item in format_specs().values():
        options = {f"{item.name}.{name}": option for name, option in item.options.items()}
        groups = tuple(replace(group, prefix=f"{item.name}.{group.prefix}") for group in item.groups)
        shown = [_options(options, Use.SOURCE | Use.SINK, groups)] if options or groups else []
        if item.open:
            others = "Its other options" if shown else "Its options"
            shown.insert(0, f"{others} go to Spark's writer and reader of the format as they are.")
        parts.append("\n\n".join((f"### `{item.name}`", *shown)))
    return "\n\n".join(parts)


def _options(options: Mapping[str, TableOption], uses: Use, groups: tuple[OptionGroup, ...] = ()) -> str:
    return table(("option", "value", "default", "for", ""), _rows(options, uses, groups))


def _rows(
    options: Mapping[str, TableOption], uses: Use, groups: tuple[OptionGroup, ...]
) -> Iterator[tuple[str, str, str, str, str]]:
    notes = {Effect.TUNING: " Taken, without effect.", Effect.REFUSED: " Refused."}
    for name, option in options.items():
        value = codes(option.choices) or option.kind.value
        own = [str(use.name).lower() for use in Use if use in option.uses]
        shown = "" if uses in option.uses else ", ".join(own)
        doc = option.doc + (" Required." if option.required else notes.get(option.effect, ""))
        yield code(name), value, code(option.default), shown, doc
    for group in groups:
        yield code(f"{group.prefix}*"), "", "", "", group.doc


def metadata() -> str:
    """Metadata columns of connectors."""
    rows = (
        (code(item.name), code(key), code(str(column.type)), column.doc)
        for item in connector_specs().values()
        for key, column in item.metadata.items()
    )
    return table(("connector", "metadata", "type", ""), rows)


def refused() -> str:
    """Unsupported connectors and formats of Flink, and unsupported options of supported ones, with reasons."""
    rows = [("connectors", name, why) for name, why in FLINK_CONNECTORS.items()]
    rows += [("formats", name, why) for name, why in FLINK_FORMATS.items()]
    declared = {name: spec.options for name, spec in connector_specs().items()}
    declared |= {name: spec.options for name, spec in format_specs().items()}
    for of, options in declared.items():
        refused_options = (item for item in options.items() if item[1].effect is Effect.REFUSED)
        rows += [(f"options of {code(of)}", name, option.why) for name, option in refused_options]
    names: dict[tuple[str, str], list[str]] = {}
    for subject, name, why in rows:
        names.setdefault((subject, why), []).append(name)
    lines = ((subject, codes(sorted(of)), f"{why[0].upper()}{why[1:]}.") for (subject, why), of in names.items())
    return table(("", "of Flink, not run here", "why"), lines)
