"""Access to lakes while programs compile: who may read which, with which secrets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from compiled_plan.plans.deferred import deferred
from compiled_plan.plans.errors import UnsupportedError
from compiled_plan.plans.text.references import has_reference

if TYPE_CHECKING:
    from compiled_plan.plans.secrets import values
else:
    values = deferred("compiled_plan.plans.secrets.values")

#: Returns the options with which the library of a catalog opens it, or raises; called with the catalog's own.
Access = Callable[[str, Mapping[str, str]], Mapping[str, str]]


def _resolved(name: str, options: Mapping[str, str]) -> Mapping[str, str]:
    return values.Secrets().resolved(options, f"catalog {name}")


def without_secrets(name: str, options: Mapping[str, str]) -> Mapping[str, str]:
    """The options of a catalog of an untrusted program, which might send secrets anywhere.

    Raises:
        UnsupportedError: they refer to secrets.
    """
    if any(map(has_reference, options.values())):
        raise UnsupportedError(
            f"the options of catalog {name!r} refer to a secret, which is not read for this program",
            remedy="compile it with compile-plan where the secret may be read, and use the plan",
        )
    return options


#: None: nothing is read.
_ACCESS: ContextVar[Access | None] = ContextVar("_ACCESS", default=_resolved)


@contextmanager
def lakes_read_by(access: Access | None) -> Iterator[None]:
    """Replace the access within the block: by default secrets are resolved. With None no lake is read."""
    before = _ACCESS.set(access)
    try:
        yield
    finally:
        _ACCESS.reset(before)


def lake_access() -> Access | None:
    """The access in force."""
    return _ACCESS.get()
