"""What the spec of a format says: everything that is known of it outside of the executor.

A module of `formats` holds one, as `SPEC`; see `registry`.
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
    """What a format cannot hold, and what to do."""

    message: str
    remedy: str


@dataclass(frozen=True, slots=True)
class FormatSpec:
    """A format.

    Flink refuses no unknown option of a format, and neither does a table here; see `checks`.
    """

    name: str  # the value of the option `format`
    doc: str  # what it is, for people; one sentence
    options: Mapping[str, TableOption] = field(default_factory=dict)  # by name without the format's prefix
    reads: ChangelogMode = ChangelogMode.INSERT  # the kinds of rows that it holds when read
    writes: ChangelogMode = ChangelogMode.INSERT  # the kinds of rows that it takes
    #: By key, in the order of Flink's page; a connector of messages offers them, files do not.
    metadata: Mapping[str, Metadata] = field(default_factory=dict)
    extension: str = ""  # the end of the names of files, without the dot
    positional: bool = False  # whether columns are found by their position and not by their name
    open: bool = False  # whether its further options go to a library
    not_both: tuple[tuple[str, str], ...] = ()  # pairs of boolean options that cannot both be true
    only_read: tuple[str, ...] = ()  # boolean options that cannot be true where a table is written
    #: What it cannot hold of a row's columns, given its options; None where all is well.
    unfit: Callable[[RowType, Mapping[str, str]], Unfit | None] | None = None
    #: What is wrong with its options together: option, message, remedy.
    contradiction: Callable[[Mapping[str, str]], tuple[str, str, str] | None] | None = None
    messages: bool = False  # whether it can be in messages, and not in files alone
    files: bool = True  # whether it can be in files, and not in messages alone
    blocks: bool = False  # whether files are blocks of rows, of which none can be put aside
    groups: tuple[OptionGroup, ...] = ()  # options of which only the prefix is known, which is behind the format's own
    packages: tuple[Package, ...] = ()  # libraries that a run needs beside the product
    at_start: str = ""  # what a plan does not say, so that only a start can look at it

    def option(self, name: str) -> TableOption | None:
        """The option of that name, without the format's prefix, also one of a group; None for one that it has not."""
        return self.options.get(name) or of_group(self.groups, name)

    def values(self, options: Mapping[str, str]) -> Values:
        """The format's options, without its prefix, as values, defaults filled in."""
        return Values(self.options, options)
