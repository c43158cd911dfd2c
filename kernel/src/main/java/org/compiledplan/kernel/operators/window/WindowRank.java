package org.compiledplan.kernel.operators.window;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.compiledplan.kernel.operators.base.InputRow;
import org.compiledplan.kernel.operators.base.Operator;
import org.compiledplan.kernel.operators.base.OperatorSpec;
import org.compiledplan.kernel.operators.base.Out;
import org.compiledplan.kernel.operators.base.Outcome;
import org.compiledplan.kernel.operators.base.SortOrder;
import org.compiledplan.kernel.operators.base.StateKind;
import org.compiledplan.kernel.state.serialization.Columns;
import org.compiledplan.kernel.state.serialization.Fields;
import org.compiledplan.kernel.state.serialization.Stored;
import org.compiledplan.kernel.values.RowKinds;

/**
 * The first rows of a window and partition in an order; equal rows rank by arrival (Flink's
 * WindowRankProcessor).
 */
public final class WindowRank implements AttachedWindow.Content<WindowRank.Ranking> {
  private final Columns columns;
  private final SortOrder order;
  private final int start;
  private final int end;
  private final boolean outputRowNumber;

  private WindowRank(OperatorSpec spec) {
    columns = Columns.ofInput(0, spec.inputs()[0]);
    order = new SortOrder(spec.get("orderBy"));
    start = (int) spec.number("start", 1);
    end = (int) Math.min(Integer.MAX_VALUE, spec.number("end", Integer.MAX_VALUE));
    outputRowNumber = spec.flag("outputRowNumber");
  }

  public static Operator create(OperatorSpec spec) {
    return new AttachedWindow<>(spec, StateKind.WINDOW_RANK, false, new WindowRank(spec));
  }

  final class Ranking implements Stored {
    private final List<Object[]> rows = new ArrayList<>();

    @Override
    public void fields(Fields io) {
      io.rows("rows", columns, rows);
    }
  }

  @Override
  public Ranking empty() {
    return new Ranking();
  }

  @Override
  public Outcome add(Ranking ranking, InputRow row) {
    List<Object[]> rows = ranking.rows;
    int low = 0;
    int high = rows.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (order.compare(rows.get(middle), row.values()) <= 0) low = middle + 1;
      else high = middle;
    }
    if (low < end) rows.add(low, row.values());
    // There may be more rows than ranks: the previous plan's last rank may have been higher.
    if (rows.size() > end) rows.subList(end, rows.size()).clear();
    return low < end ? Outcome.HELD : Outcome.OUTRANKED;
  }

  @Override
  public int entries(Ranking ranking) {
    return ranking.rows.size();
  }

  @Override
  public void emit(Ranking ranking, Out out) {
    List<Object[]> rows = ranking.rows;
    for (int i = start - 1; i < Math.min(rows.size(), end); i++) {
      Object[] row = rows.get(i);
      if (outputRowNumber) {
        row = Arrays.copyOf(row, row.length + 1);
        row[row.length - 1] = (long) i + 1;
      }
      out.emit(RowKinds.INSERT, row);
    }
  }
}
