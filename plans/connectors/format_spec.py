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

    Args:
        name: the value of the option `format`.
        doc: what it is, for people; one sentence.
        options: by name without the format's prefix.
        reads: the kinds of rows that it holds when read.
        writes: the kinds of rows that it takes.
        metadata: by key, in the order of Flink's page; a connector of messages offers them, files do not.
        extension: the end of the names of files, without the dot.
        positional: whether columns are found by their position and not by their name.
        open: whether its further options go to a library.
        not_both: pairs of boolean options that cannot both be true.
        only_read: boolean options that cannot be true where a table is written.
        unfit: what it cannot hold of a row's columns, given its options; None where all is well.
        contradiction: what is wrong with its options together: option, message, remedy.
        messages: whether it can be in messages, and not in files alone.
        files: whether it can be in files, and not in messages alone.
        blocks: whether files are blocks of rows, of which none can be put aside.
        groups: options of which only the prefix is known, which is behind the format's own.
        packages: libraries that a run needs beside the product.
        at_start: what a plan does not say, so that only a start can look at it.
    """

    name: str
    doc: str
    options: Mapping[str, TableOption] = field(default_factory=dict)
    reads: ChangelogMode = ChangelogMode.INSERT
    writes: ChangelogMode = ChangelogMode.INSERT
    metadata: Mapping[str, Metadata] = field(default_factory=dict)
    extension: str = ""
    positional: bool = False
    open: bool = False
    not_both: tuple[tuple[str, str], ...] = ()
    only_read: tuple[str, ...] = ()
    unfit: Callable[[RowType, Mapping[str, str]], Unfit | None] | None = None
    contradiction: Callable[[Mapping[str, str]], tuple[str, str, str] | None] | None = None
    messages: bool = False
    files: bool = True
    blocks: bool = False
    groups: tuple[OptionGroup, ...] = ()
    packages: tuple[Package, ...] = ()
    at_start: str = ""

    def option(self, name: str) -> TableOption | None:
        """The option of that name, without the format's prefix, also one of a group; None for one that it has not."""
        return self.options.get(name) or of_group(self.groups, name)

    def values(self, given: Mapping[str, str]) -> Values:
        """The format's options, without its prefix, as values, defaults filled in."""
        return Values(self.options, given)
