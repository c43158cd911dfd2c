"""Specs of formats: every fact about a format outside the executor.

Modules of `formats` declare one each, as `SPEC`; see `registry`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from compiled_plan.plans.connectors.jars import Package
from compiled_plan.plans.connectors.spec import Metadata
from compiled_plan.plans.connectors.table_options import OptionGroup, TableOption, Values, of_group
from compiled_plan.plans.types import RowType
from compiled_plan.plans.types.changelog import ChangelogMode


@dataclass(frozen=True, slots=True)
class Unfit:
    """Refusal of columns that a format cannot hold, with a remedy."""

    message: str
    remedy: str


@dataclass(frozen=True, slots=True)
class FormatSpec:
    """A format.

    Unknown options of a format are not refused, as in Flink; see `checks`.
    """

    name: str  # the value of the option `format`
    doc: str  # one sentence for the reference pages
    options: Mapping[str, TableOption] = field(default_factory=dict)  # by name, without the format's prefix
    reads: ChangelogMode = ChangelogMode.INSERT  # the changelog that it holds when read
    writes: ChangelogMode = ChangelogMode.INSERT  # the changelog that it accepts when written
    #: By key, in the order of Flink's page; connectors of messages offer them, files do not.
    metadata: Mapping[str, Metadata] = field(default_factory=dict)
    extension: str = ""  # file extension, without the dot
    positional: bool = False  # whether columns are matched by position and not by name
    named_by: str = ""  # boolean option with which columns are matched by name in spite of `positional`
    open: bool = False  # whether undeclared options go to a library
    not_both: tuple[tuple[str, str], ...] = ()  # pairs of boolean options that cannot both be true
    only_read: tuple[str, ...] = ()  # boolean options that cannot be true where a table is written
    #: Refusal of columns that the format cannot hold with its options; None if it holds all.
    unfit: Callable[[RowType, Mapping[str, str]], Unfit | None] | None = None
    #: A contradiction between its options: option, message, remedy.
    contradiction: Callable[[Mapping[str, str]], tuple[str, str, str] | None] | None = None
    messages: bool = False  # whether messages can have it
    files: bool = True  # whether files can have it
    blocks: bool = False  # whether files are blocks of rows, so that a single row cannot become a dead letter
    groups: tuple[OptionGroup, ...] = ()  # prefixes of undeclared options, after the format's prefix
    packages: tuple[Package, ...] = ()  # libraries that a run needs besides the product
    at_start: str = ""  # facts that a plan does not hold, checked when a run starts

    def option(self, name: str) -> TableOption | None:
        """The option of that name (without the format's prefix), declared or of a group; None if there is none."""
        return self.options.get(name) or of_group(self.groups, name)

    def is_positional(self, options: Mapping[str, str]) -> bool:
        """Return True if columns are matched by position with these options of the format (without its prefix)."""
        return self.positional and not (self.named_by and self.values(options).flag(self.named_by))

    def values(self, options: Mapping[str, str]) -> Values:
        """The values of the format's options (without its prefix), with defaults filled in."""
        return Values(self.options, options)
