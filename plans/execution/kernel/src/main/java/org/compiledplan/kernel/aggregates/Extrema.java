package org.compiledplan.kernel.aggregates;

import java.util.Map;
import java.util.TreeMap;
import org.compiledplan.kernel.values.ByteReader;
import org.compiledplan.kernel.values.ByteWriter;
import org.compiledplan.kernel.values.ValueCodec;
import org.compiledplan.kernel.values.ValueType;
import org.compiledplan.kernel.values.Values;

/** MIN and MAX; nulls are skipped. */
final class Extrema {
  private Extrema() {}

  /** Keeps the best value only. */
  static final class InsertOnly implements Accumulator {
    private final int arg;
    private final ValueType type;
    private final int sign;
    private Object best;

    /** @param sign 1 for MAX, -1 for MIN */
    InsertOnly(int arg, ValueType type, int sign) {
      this.arg = arg;
      this.type = type;
      this.sign = sign;
    }

    @Override
    public void add(Object[] row) {
      add(row[arg]);
    }

    private void add(Object value) {
      if (value != null && (best == null || Values.compare(value, best) * sign > 0)) best = value;
    }

    @Override
    public void retract(Object[] row) {
      // As in Flink, which plans it so over values that only ever shrink (MIN) or grow (MAX): what comes instead of
      // the value that is taken back is at least as good.
    }

    @Override
    public void merge(Accumulator other) {
      add(((InsertOnly) other).best);
    }

    @Override
    public Object value() {
      return best;
    }

    @Override
    public void write(ByteWriter out) {
      ValueCodec.write(best, out);
    }

    @Override
    public void read(ByteReader in) {
      best = ValueCodec.read(in, type);
    }
  }

  /**
   * Keeps every value with how often it is there. A retraction that comes before its row is remembered as
   * a negative count (Flink's MaxWithRetractAggFunction).
   */
  static final class Retractable implements Accumulator {
    private final int arg;
    private final ValueType type;
    private final TreeMap<Object, Long> counts;

    Retractable(int arg, ValueType type, int sign) {
      this.arg = arg;
      this.type = type;
      this.counts = new TreeMap<>((a, b) -> -sign * Values.compare(a, b));
    }

    private void change(Object value, long by) {
      if (value == null) return;
      counts.merge(value, by, (old, more) -> old + more == 0 ? null : (Long) (old + more));
    }

    @Override
    public void add(Object[] row) {
      change(row[arg], 1);
    }

    @Override
    public void retract(Object[] row) {
      change(row[arg], -1);
    }

    @Override
    public void merge(Accumulator other) {
      ((Retractable) other).counts.forEach(this::change);
    }

    @Override
    public Object value() {
      for (Map.Entry<Object, Long> entry : counts.entrySet()) {
        if (entry.getValue() > 0) return entry.getKey();
      }
      return null;
    }

    @Override
    public void write(ByteWriter out) {
      out.writeVarLong(counts.size());
      for (Map.Entry<Object, Long> entry : counts.entrySet()) {
        ValueCodec.write(entry.getKey(), out);
        out.writeSigned(entry.getValue());
      }
    }

    @Override
    public void read(ByteReader in) {
      int size = in.readVarInt();
      for (int i = 0; i < size; i++) counts.put(ValueCodec.read(in, type), in.readSigned());
    }
  }
}
