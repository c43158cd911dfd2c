package org.compiledplan.kernel.operators.sort;

import java.util.ArrayList;
import java.util.List;
import org.compiledplan.kernel.operators.base.InputRow;
import org.compiledplan.kernel.operators.base.KeyState;
import org.compiledplan.kernel.operators.base.KeyedOperator;
import org.compiledplan.kernel.operators.base.OperatorSpec;
import org.compiledplan.kernel.operators.base.Out;
import org.compiledplan.kernel.operators.base.Outcome;
import org.compiledplan.kernel.operators.base.Session;
import org.compiledplan.kernel.operators.base.SortOrder;
import org.compiledplan.kernel.operators.base.StateKind;
import org.compiledplan.kernel.state.serialization.Fields;
import org.compiledplan.kernel.values.RowKinds;

/**
 * Sorts the rows of one processing time, that is of one micro-batch. Follows Flink's
 * ProcTimeSortOperator.
 */
public final class ProctimeSort extends KeyedOperator<KeyState> {
  private final SortOrder order;

  public ProctimeSort(OperatorSpec spec) {
    order = new SortOrder(spec.get("orderBy"));
    define(spec, StateKind.NOTHING, Nothing::new, (state, context) -> new Work());
  }

  private static final class Nothing implements KeyState {
    @Override
    public void fields(Fields io) {}

    @Override
    public int entries() {
      return 0;
    }
  }

  private final class Work implements Session {
    private final List<Object[]> rows = new ArrayList<>();

    @Override
    public Outcome process(InputRow row, Out out) {
      row.requireInsert("a sort by time takes insert-only input");
      rows.add(row.values());
      return Outcome.APPLIED;
    }

    @Override
    public void close(Out out) {
      rows.sort(order);
      for (Object[] row : rows) out.emit(RowKinds.INSERT, row);
    }
  }
}
