"""`python -m compiled_plan`: the command `compiled-plan`."""

from compiled_plan.cli.umbrella import main

main()
