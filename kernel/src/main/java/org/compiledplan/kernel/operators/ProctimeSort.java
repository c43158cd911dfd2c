package org.compiledplan.kernel.operators;

import java.util.ArrayList;
import java.util.List;

/**
 * Sorts the rows of one processing time, that is, of a micro-batch. Follows Flink's
 * ProcTimeSortOperator.
 */
final class ProctimeSort extends KeyedOperator<KeyState> {
  private final SortOrder order;

  ProctimeSort(OperatorSpec spec) {
    order = new SortOrder(spec.get("orderBy"));
    format = StateFormat.nothing(spec);
  }

  @Override
  public Session open(KeyedState state, BatchContext context) {
    List<Object[]> rows = new ArrayList<>();
    return new Session() {
      @Override
      public void process(InputRow row, Out out) {
        row.requireInsert("a sort by time takes insert-only input");
        rows.add(row.values());
      }

      @Override
      public void close(Out out) {
        rows.sort(order);
        for (Object[] row : rows) out.emit(RowKinds.INSERT, row);
      }
    };
  }
}
