package org.compiledplan.kernel.operators.window;

import org.compiledplan.kernel.operators.base.InputRow;
import org.compiledplan.kernel.operators.base.Operator;
import org.compiledplan.kernel.operators.base.OperatorSpec;
import org.compiledplan.kernel.operators.base.Out;
import org.compiledplan.kernel.operators.base.Outcome;
import org.compiledplan.kernel.operators.base.StateKind;
import org.compiledplan.kernel.state.serialization.Columns;
import org.compiledplan.kernel.state.serialization.Fields;
import org.compiledplan.kernel.state.serialization.Stored;
import org.compiledplan.kernel.values.RowKinds;
import org.compiledplan.kernel.values.Values;

/**
 * The first or the last row of a window and key by time; of equal times the first, or the last, to
 * arrive (Flink's RowTimeWindowDeduplicateProcessor).
 */
public final class WindowDeduplicate
    implements AttachedWindow.Content<WindowDeduplicate.SingleRow> {
  private final Columns columns;
  private final int orderColumn;
  private final boolean keepLast;

  private WindowDeduplicate(OperatorSpec spec) {
    columns = Columns.ofInput(0, spec.inputs()[0]);
    orderColumn = spec.column("orderColumn");
    keepLast = spec.flag("keepLast");
  }

  public static Operator create(OperatorSpec spec) {
    return new AttachedWindow<>(
        spec, StateKind.WINDOW_DEDUPLICATE, false, new WindowDeduplicate(spec));
  }

  /** The retained row, null before the first. */
  final class SingleRow implements Stored {
    private Object[] row;

    @Override
    public void fields(Fields io) {
      row = io.row("row", columns, row);
    }
  }

  @Override
  public SingleRow empty() {
    return new SingleRow();
  }

  @Override
  public Outcome add(SingleRow state, InputRow row) {
    if (state.row != null) {
      int order = Values.compare(row.values()[orderColumn], state.row[orderColumn]);
      if (keepLast ? order < 0 : order >= 0) return Outcome.DUPLICATE;
    }
    state.row = row.values();
    return Outcome.HELD;
  }

  @Override
  public int entries(SingleRow state) {
    return state.row == null ? 0 : 1;
  }

  @Override
  public void emit(SingleRow state, Out out) {
    out.emit(RowKinds.INSERT, state.row);
  }
}
