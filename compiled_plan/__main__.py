"""`python -m compiled_plan`: the command `compiled-plan`."""

from importlib import import_module

# By name: the package imports none of its folders, which import it.
import_module("compiled_plan.cli.umbrella").main()
