package org.compiledplan.kernel.operators;

import org.compiledplan.kernel.values.ByteReader;
import org.compiledplan.kernel.values.ByteWriter;
import org.compiledplan.kernel.values.ValueCodec;
import org.compiledplan.kernel.values.ValueType;
import org.compiledplan.kernel.values.Values;

/**
 * The first or the last row by time of a window and key; of equal times the first, or the last, to arrive (Flink's
 * RowTimeWindowDeduplicateProcessor).
 */
final class WindowDeduplicate implements AttachedWindow.Content<Object[][]> {
  private final ValueType[] types;
  private final int orderColumn;
  private final boolean keepLast;

  private WindowDeduplicate(OperatorSpec spec) {
    types = spec.inputs[0];
    orderColumn = spec.column("orderColumn");
    keepLast = spec.flag("keepLast", false);
  }

  static Operator create(OperatorSpec spec) {
    return new AttachedWindow<>(spec, false, new WindowDeduplicate(spec));
  }

  @Override
  public Object[][] empty() {
    return new Object[1][];
  }

  @Override
  public Object[][] read(ByteReader in) {
    return new Object[][] {ValueCodec.readRow(in, types)};
  }

  @Override
  public void write(Object[][] kept, ByteWriter out) {
    ValueCodec.writeRow(kept[0], out);
  }

  @Override
  public boolean add(Object[][] kept, InputRow row) {
    if (kept[0] != null) {
      int order = Values.compare(row.values[orderColumn], kept[0][orderColumn]);
      if (keepLast ? order < 0 : order >= 0) return false;
    }
    kept[0] = row.values;
    return true;
  }

  @Override
  public int entries(Object[][] kept) {
    return kept[0] == null ? 0 : 1;
  }

  @Override
  public void emit(Object[][] kept, Out out) {
    out.emit(RowKinds.INSERT, kept[0]);
  }
}
