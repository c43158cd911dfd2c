package org.compiledplan.kernel.operators.window;

import java.util.Arrays;
import org.compiledplan.kernel.operators.base.InputRow;
import org.compiledplan.kernel.operators.base.Operator;
import org.compiledplan.kernel.operators.base.OperatorSpec;
import org.compiledplan.kernel.operators.base.Out;
import org.compiledplan.kernel.operators.base.Outcome;
import org.compiledplan.kernel.operators.base.StateKind;
import org.compiledplan.kernel.state.serialization.Columns;
import org.compiledplan.kernel.values.ValueType;

/**
 * The table function SESSION: buffers the rows of a session until it is complete, then emits them
 * with its start, end and time (Flink's UnalignedWindowTableFunctionOperator).
 */
public final class SessionRows implements SessionWindows.Content<RowList> {
  private static final Object[] NO_HEAD = {};

  private final Columns columns;
  private final ValueType[] outputTypes;
  private final WindowTimes times;

  private SessionRows(OperatorSpec spec) {
    columns = Columns.ofInput(0, spec.inputs()[0]);
    outputTypes = spec.output();
    times = new WindowTimes(spec);
  }

  public static Operator create(OperatorSpec spec) {
    return new SessionWindows<>(spec, StateKind.SESSION_ROWS, new SessionRows(spec));
  }

  @Override
  public Object[] head(Object[] row) {
    return NO_HEAD;
  }

  @Override
  public Columns headColumns() {
    return Columns.NONE;
  }

  @Override
  public RowList empty() {
    return new RowList(columns);
  }

  @Override
  public Outcome add(RowList rows, InputRow row) {
    rows.add(row.kind(), row.values());
    return Outcome.HELD;
  }

  @Override
  public void merge(RowList into, RowList from) {
    into.addAll(from);
  }

  @Override
  public int entries(RowList rows) {
    return rows.size();
  }

  @Override
  public void emit(Object[] head, RowList rows, long start, long end, Out out) {
    // The caller appends the time in ms as the last input column.
    int width = outputTypes.length - 3;
    Object first = times.value(start, outputTypes[width]);
    Object last = times.value(end, outputTypes[width + 1]);
    Object time = times.value(end - 1, outputTypes[width + 2]);
    for (RowList.Entry entry : rows.entries()) {
      Object[] row = Arrays.copyOf(entry.row(), width + 3);
      row[width] = first;
      row[width + 1] = last;
      row[width + 2] = time;
      out.emit(entry.kind(), row);
    }
  }
}
