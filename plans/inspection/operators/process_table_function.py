"""TO_CHANGELOG and FROM_CHANGELOG, which are stateless."""

from __future__ import annotations

from dataclasses import replace

from compiled_plan.plans.inspection.lineage.drafting import Context, RuleResult, rule
from compiled_plan.plans.inspection.lineage.meaning import compose
from compiled_plan.plans.inspection.lineage.rows import Branch
from compiled_plan.plans.inspection.operators.declared import declared
from compiled_plan.plans.nodes.process_table_function import KINDS, ChangelogCall, ProcessTableFunction


@rule(ProcessTableFunction)
def changelog_function(node: ProcessTableFunction, context: Context) -> RuleResult:
    """Convert changes to rows with a leading code, or rows with a code to changes."""
    if not node.runnable:
        return declared(node, context)
    call, (source,) = node.call(), context.plan.inputs(node)
    branches = context.inputs(node)[0]
    names = source.output_type.names
    if call.direction == "TO":
        time = None if call.on_time is None else names.index(call.on_time)
        return RuleResult(tuple(_as_rows(branch, call, time) for branch in branches))
    at = names.index(call.column)
    return RuleResult(tuple(_as_changes(branch, call, at) for branch in branches))


def _as_rows(branch: Branch, call: ChangelogCall, time: int | None) -> Branch:
    codes = [list(pair) for pair in sorted(call.codes)]
    mapping = ", ".join(f"{kind} {code!r}" for code, kind in call.codes)
    code = compose("code of a change", (branch.origin,), codes, text=f"the code of a change ({mapping})")
    kinds = [kind for kind in KINDS if any(kind == mapped for _, mapped in call.codes)]
    dropped = [] if len(kinds) == len(KINDS) else [compose("kinds", (), kinds, text=f"changes {', '.join(kinds)}")]
    origin = compose("changes as rows", (branch.origin,), text=f"the changes of {branch.origin.text}")
    times = () if time is None else (branch.column(time),)
    return replace(branch.where(dropped), origin=origin, columns=(code, *branch.columns, *times))


def _as_changes(branch: Branch, call: ChangelogCall, at: int) -> Branch:
    codes = [list(pair) for pair in sorted(call.codes)]
    mapping = ", ".join(f"{code!r} {kind}" for code, kind in call.codes)
    text = f"{branch.origin.text} as changes by {branch.column(at).text} ({mapping})"
    origin = compose("rows as changes", (branch.origin, branch.column(at)), codes, text=text)
    return replace(branch, origin=origin, columns=(*branch.columns[:at], *branch.columns[at + 1 :]))
