"""The dry run of plans without a checkpoint: their checks and stages."""

from __future__ import annotations

from collections.abc import Sequence

from compiled_plan.cli.actions.reading import Reader
from compiled_plan.cli.common.running import print_line
from compiled_plan.cli.common.terminal import ExitCode, fail
from compiled_plan.plans.errors import CompiledPlanError
from compiled_plan.plans.execution.explain import stages_of, stages_text
from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.plans.functions.jars import AllowedClasses
from compiled_plan.plans.functions.naming import with_module_functions
from compiled_plan.plans.inspection.at_start import check_classes
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.secrets.values import Secrets


def show_stages(
    plans: Sequence[tuple[str, CompiledPlan]],
    reader: Reader,
    options: RunOptions,
    as_json: bool,
) -> int:
    """Check plans and print their stages; no Spark starts."""
    allowed = AllowedClasses(options.functions_from, options.java_classes)
    failed = reader.failed
    for path, plan in plans:
        try:
            plan = with_module_functions(plan, options.functions_from)
            layout = stages_of(plan, options)
            check_classes(plan, allowed)
            print_line(layout.model_dump_json(by_alias=True) if as_json else stages_text(layout))
            Secrets(options.secrets).collect(plan, options.warm_up_from)
        except CompiledPlanError as fault:
            fail(fault, path, debug=reader.debug)
            failed += 1
    return ExitCode.FAILED if failed else ExitCode.OK
