package org.compiledplan.kernel.operators.window;

import org.compiledplan.kernel.operators.aggregate.Accumulated;
import org.compiledplan.kernel.operators.aggregate.AggregateCalls;
import org.compiledplan.kernel.operators.base.InputRow;
import org.compiledplan.kernel.operators.base.Operator;
import org.compiledplan.kernel.operators.base.OperatorSpec;
import org.compiledplan.kernel.operators.base.Out;
import org.compiledplan.kernel.operators.base.Outcome;
import org.compiledplan.kernel.operators.base.StateKind;
import org.compiledplan.kernel.state.serialization.Columns;
import org.compiledplan.kernel.values.RowKinds;

/**
 * Aggregates by key and session, emitted once when the session is complete (Flink's
 * UnsliceWindowAggProcessor).
 */
public final class SessionAggregate implements SessionWindows.Content<Accumulated> {
  private final int[] grouping;
  private final Columns groupColumns;
  private final AggregateCalls calls;
  private final WindowRow result;

  private SessionAggregate(OperatorSpec spec) {
    grouping = spec.columns("grouping");
    groupColumns = Columns.ofInput(0, spec.inputs()[0], grouping);
    boolean needRetraction = spec.flag("needRetraction");
    calls = new AggregateCalls(spec, grouping.length, needRetraction);
    result =
        new WindowRow(spec, grouping.length, calls.size(), needRetraction, new WindowTimes(spec));
  }

  public static Operator create(OperatorSpec spec) {
    return new SessionWindows<>(spec, StateKind.SESSION_AGGREGATE, new SessionAggregate(spec));
  }

  @Override
  public Columns headColumns() {
    return groupColumns;
  }

  @Override
  public Object[] head(Object[] row) {
    return OperatorSpec.values(row, grouping);
  }

  @Override
  public Accumulated empty() {
    return new Accumulated(calls);
  }

  @Override
  public Outcome add(Accumulated content, InputRow row) {
    content.process(row.values(), RowKinds.isAdd(row.kind()));
    return Outcome.APPLIED;
  }

  @Override
  public void merge(Accumulated into, Accumulated from) {
    into.merge(from);
  }

  @Override
  public int entries(Accumulated content) {
    return 1;
  }

  @Override
  public void emit(Object[] head, Accumulated content, long start, long end, Out out) {
    result.emit(head, content, start, end, out);
  }
}
