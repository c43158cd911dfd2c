"""All specs as JSON values, for the reference pages and for other tools."""

from __future__ import annotations

from collections.abc import Mapping

from compiled_plan.plans.connectors.format_spec import FormatSpec
from compiled_plan.plans.connectors.registry import connector_specs, format_specs
from compiled_plan.plans.connectors.spec import ConnectorSpec, Metadata
from compiled_plan.plans.connectors.table_options import OptionGroup, TableOption, Use


def to_dict() -> dict[str, object]:
    """Connectors and formats by name, with their descriptions, uses, options and metadata."""
    return {
        "connectors": {name: connector_dict(spec) for name, spec in connector_specs().items()},
        "formats": {name: format_dict(spec) for name, spec in format_specs().items()},
    }


def connector_dict(spec: ConnectorSpec) -> dict[str, object]:
    """A connector; `source`, `sink` and `lookup` are None if it does not support that use."""
    source, sink, lookup = spec.source, spec.sink, spec.lookup
    return {
        "name": spec.name,
        "doc": spec.doc,
        "source": None if source is None else {"changelog": source.changes.names(), "bounded": source.bounded.value},
        "sink": None if sink is None else {"changelog": sink.changes.names(), "guarantee": sink.guarantee.value},
        "lookup": None if lookup is None else {"caches": lookup.caches},
        "formats": [list(slot.options) for slot in spec.formats],
        "options": _options(spec.all_options, spec.uses),
        "groups": _groups(spec.groups),
        "metadata": _metadata(spec.metadata),
        "jars": [package.coordinates for package in spec.packages],
    }


def format_dict(spec: FormatSpec) -> dict[str, object]:
    """A format; its options without the format's prefix."""
    return {
        "name": spec.name,
        "doc": spec.doc,
        "reads": spec.reads.names(),
        "writes": spec.writes.names(),
        "open": spec.open,
        "options": _options(spec.options, Use.SOURCE | Use.SINK),
        "groups": _groups(spec.groups),
        "metadata": _metadata(spec.metadata),
        "jars": [package.coordinates for package in spec.packages],
    }


def _options(options: Mapping[str, TableOption], uses: Use) -> list[dict[str, object]]:
    return [
        {
            "name": name,
            "type": option.kind.value,
            "choices": list(option.choices),
            "default": option.default or None,
            "required": option.required,
            "effect": option.effect.name.lower(),
            "why": option.why or None,
            "uses": [str(use.name).lower() for use in Use if use in (option.uses & uses or option.uses)],
            "doc": option.doc,
        }
        for name, option in options.items()
    ]


def _groups(groups: tuple[OptionGroup, ...]) -> list[dict[str, str]]:
    return [{"name": f"{group.prefix}*", "doc": group.doc} for group in groups]


def _metadata(metadata: Mapping[str, Metadata]) -> list[dict[str, object]]:
    return [
        {"name": key, "type": str(item.type), "readable": item.readable, "writable": item.writable, "doc": item.doc}
        for key, item in metadata.items()
    ]
