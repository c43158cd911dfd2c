package org.compiledplan.kernel.operators.over;

import java.util.ArrayList;
import java.util.List;
import org.compiledplan.kernel.aggregates.Accumulator;
import org.compiledplan.kernel.operators.base.OperatorSpec;
import org.compiledplan.kernel.operators.base.SortOrder;

/**
 * The results of an unbounded OVER window for each of its rows, which are in the window's order.
 */
public final class OrderedResults {
  private final OverCalls calls;
  private final SortOrder order;

  /** True if equal rows are no peers. */
  private final boolean rows;

  public OrderedResults(OperatorSpec spec) {
    calls = new OverCalls(spec, false);
    order = new SortOrder(spec.get("orderBy"));
    rows = spec.flag("rows");
  }

  /** Returns the results of each row, in the order of the calls. */
  public List<Object[]> of(List<Object[]> sorted) {
    List<Object[]> results = new ArrayList<>(sorted.size());
    Accumulator[] accumulators = calls.fresh();
    for (int from = 0, to; from < sorted.size(); from = to) {
      to = from;
      do {
        calls.add(accumulators, sorted.get(to++));
      } while (!rows && to < sorted.size() && order.compare(sorted.get(to), sorted.get(from)) == 0);
      Object[] values = calls.values(accumulators);
      for (int at = from; at < to; at++) results.add(values);
    }
    return results;
  }
}
