package org.compiledplan.kernel.operators;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.compiledplan.kernel.values.ByteReader;
import org.compiledplan.kernel.values.ByteWriter;
import org.compiledplan.kernel.values.ValueCodec;
import org.compiledplan.kernel.values.ValueType;

/** The first rows of a window and partition in an order; equal rows rank by arrival (Flink's WindowRankProcessor). */
final class WindowRank implements AttachedWindow.Content<List<Object[]>> {
  private final ValueType[] types;
  private final SortOrder order;
  private final int start;
  private final int end;
  private final boolean outputRowNumber;

  private WindowRank(OperatorSpec spec) {
    types = spec.inputs[0];
    order = new SortOrder(spec.get("orderBy"));
    start = (int) spec.number("start", 1);
    end = (int) Math.min(Integer.MAX_VALUE, spec.number("end", Integer.MAX_VALUE));
    outputRowNumber = spec.flag("outputRowNumber", false);
  }

  static Operator create(OperatorSpec spec) {
    return new AttachedWindow<>(spec, false, new WindowRank(spec));
  }

  @Override
  public List<Object[]> empty() {
    return new ArrayList<>();
  }

  @Override
  public List<Object[]> read(ByteReader in) {
    int count = in.readVarInt();
    List<Object[]> rows = new ArrayList<>(count + 1);
    for (int i = 0; i < count; i++) rows.add(ValueCodec.readRow(in, types));
    return rows;
  }

  @Override
  public void write(List<Object[]> rows, ByteWriter out) {
    out.writeVarLong(rows.size());
    for (Object[] row : rows) ValueCodec.writeRow(row, out);
  }

  @Override
  public boolean add(List<Object[]> rows, InputRow row) {
    int low = 0;
    int high = rows.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (order.compare(rows.get(middle), row.values) <= 0) low = middle + 1;
      else high = middle;
    }
    if (low >= end) return false;
    rows.add(low, row.values);
    if (rows.size() > end) rows.remove(rows.size() - 1);
    return true;
  }

  @Override
  public int entries(List<Object[]> rows) {
    return rows.size();
  }

  @Override
  public void emit(List<Object[]> rows, Out out) {
    for (int i = start - 1; i < rows.size(); i++) {
      Object[] row = rows.get(i);
      if (outputRowNumber) {
        row = Arrays.copyOf(row, row.length + 1);
        row[row.length - 1] = (long) i + 1;
      }
      out.emit(RowKinds.INSERT, row);
    }
  }
}
