"""Script of the GitHub Action `review-plans`: inputs, as environment variables, become options of the command."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping

from compiled_plan.cli import review_plans

#: Prefix of the variables; the rest is the input's name, as in action.yml.
PREFIX = "REVIEW_"
#: The option of each input with one value, and of each with a value per line.
_ONE = {"BASE": "--base", "PLAN": "--plan", "FAIL_ON": "--fail-on"}
_MANY = {
    "CHECKPOINTS": "--checkpoint",
    "INIT": "--init",
    "SET": "--set",
    "SAMPLES": "--sample",
    "ALLOW_CODE": "--allow-code",
}
_FLAGS = {"CHECK_PLANS": "--check-plans", "EXAMPLE": "--example"}
_PROGRAMS = "PROGRAMS"


def arguments(environment: Mapping[str, str]) -> list[str]:
    """The arguments of `review-plans` for the inputs of the action."""
    return list(_arguments({name: environment.get(PREFIX + name, "").strip() for name in INPUTS}))


INPUTS = (*_ONE, *_MANY, *_FLAGS, _PROGRAMS)


def _arguments(inputs: Mapping[str, str]) -> Iterator[str]:
    yield "--github"
    # The workflow decides: a pull request could change the defaults of the repository.
    yield "--no-config"
    # The working tree of a job may hold files of other steps.
    yield "--tracked"
    for name, option in _ONE.items():
        if inputs[name]:
            yield f"{option}={inputs[name]}"
    for name, option in _MANY.items():
        yield from (f"{option}={line}" for line in _lines(inputs[name]))
    yield from (option for name, option in _FLAGS.items() if inputs[name] == "true")
    yield "--"
    yield from _lines(inputs[_PROGRAMS])


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def main() -> None:
    """Entry point of the action."""
    sys.argv[1:] = arguments(os.environ)
    review_plans.main()


if __name__ == "__main__":
    main()
