"""Secrets of a run: the values of references in options of tables.

Commands collect them before Spark starts, so that all missing names are reported at once, and keep their values in
memory until the end of the run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from compiled_plan.plans.connectors.outside import reached_by
from compiled_plan.plans.errors import ExecutionError
from compiled_plan.plans.inspection.references import referring_tables
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.secrets.sources import sources_of, variable
from compiled_plan.plans.text.concealing import conceal
from compiled_plan.plans.text.references import is_reference, names_in, reference, replaced


def _reaches_more(resolved: Mapping[str, str], options: Mapping[str, str]) -> bool:
    """Return True if parts of values, which a plan is checked without, reach other files or code than the plan."""
    known = {(reached.kind, reached.option, reached.name) for reached in reached_by(options)}
    whole = {key.lower() for key, value in options.items() if is_reference(value)}
    return any(
        (reached.kind, reached.option, reached.name) not in known and reached.option.lower() not in whole
        for reached in reached_by(resolved)
    )


class Secrets:
    """The secrets of a run. Values are read once.

    Args:
        sources: the sources, see `RunOptions.secrets`; earlier ones win.
        lenient: leave references to missing secrets as they are, where nothing is connected.

    Raises:
        ExecutionError: an unknown or malformed source.
    """

    def __init__(self, sources: Sequence[str] = (), *, lenient: bool = False) -> None:
        self._shown, self._lenient = tuple(sources), lenient
        self._sources = sources_of(sources)
        self._values: dict[str, str] = {}

    def __repr__(self) -> str:
        return f"Secrets({len(self._values)} values)"

    def collect(self, plan: CompiledPlan, others: Mapping[str, Mapping[str, str]] | None = None) -> None:
        """Read the secrets of a plan, so that nothing starts without one.

        Args:
            plan: the plan.
            others: options of further tables, by name.

        Raises:
            ExecutionError: names all that are missing, each with a place.
        """
        places: dict[str, str] = {}
        for table, options in (*referring_tables(plan), *(others or {}).items()):
            for key, value in options.items():
                for name in names_in([value]):
                    places.setdefault(name, f"table {table}, WITH, '{key}'")
        missing = {name: place for name, place in places.items() if not self._has(name)}
        if missing and not self._lenient:
            raise self._missing(missing)

    def resolved(self, options: Mapping[str, str], where: str) -> dict[str, str]:
        """Options with their references replaced.

        Args:
            options: the options of a table.
            where: the table, for messages.

        Raises:
            ExecutionError: names all that are missing, or a value changes what the options reach.
        """
        if not any("{secret:" in value for value in options.values()):
            return dict(options)
        missing = {name: where for name in names_in(options.values()) if not self._has(name)}
        if missing and not self._lenient:
            raise self._missing(missing)
        resolved = {
            key: replaced(value, lambda name: self._values.get(name, reference(name))) for key, value in options.items()
        }
        if _reaches_more(resolved, options):
            raise ExecutionError(
                f"a secret is more than a value: with it, the options of {where} reach other files or code",
                where=where,
                remedy="refer to secrets in values alone; in a URL, encode letters such as & ; / ? with %",
            )
        return resolved

    def _has(self, name: str) -> bool:
        if name in self._values:
            return True
        value = next((value for source in self._sources if (value := source.get(name)) is not None), None)
        if value is None:
            return False
        self._values[name] = value
        conceal(value)
        return True

    def _missing(self, places: Mapping[str, str]) -> ExecutionError:
        names = ", ".join(places)
        count = "the secret" if len(places) == 1 else f"{len(places)} secrets:"
        if self._shown:
            remedy = f"put {'it' if len(places) == 1 else 'them'} into a source that --secrets names"
        else:
            remedy = f"set {', '.join(map(variable, places))} in the environment, or name a source with --secrets"
        verb = "is" if len(places) == 1 else "are"
        where = "; ".join(f"{name}: {place}" for name, place in places.items())
        return ExecutionError(f"{count} {names} {verb} missing", where=where, remedy=remedy)
