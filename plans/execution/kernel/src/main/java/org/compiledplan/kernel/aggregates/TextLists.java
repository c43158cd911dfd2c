package org.compiledplan.kernel.aggregates;

import java.util.StringJoiner;
import org.compiledplan.kernel.values.ByteReader;
import org.compiledplan.kernel.values.ByteWriter;
import org.compiledplan.kernel.values.ValueCodec;
import org.compiledplan.kernel.values.ValueType;

/**
 * LISTAGG: texts joined by a separator, a comma if none is given; nulls are skipped, null without values
 * (Flink's ListAggFunction, ListAggWithRetractAggFunction, ListAggWsWithRetractAggFunction).
 */
final class TextLists {
  private static final ValueType TEXT = ValueType.of(ValueType.Kind.STRING);

  private TextLists() {}

  private static String delimiter(AggregateCall call, Object[] row) {
    if (call.args.length > 1) return (String) row[call.args[1]];
    return call.delimiter == null ? "," : call.delimiter;
  }

  /** Keeps the text itself. */
  static final class InsertOnly implements Accumulator {
    private final AggregateCall call;
    private StringBuilder text;

    InsertOnly(AggregateCall call) {
      this.call = call;
    }

    @Override
    public void add(Object[] row) {
      Object value = row[call.args[0]];
      if (value == null) return;
      if (text == null) text = new StringBuilder();
      else text.append(delimiter(call, row));
      text.append(value);
    }

    @Override
    public void retract(Object[] row) {
      throw new IllegalStateException("LISTAGG over insert-only input got a retraction");
    }

    @Override
    public Object value() {
      return text == null ? null : text.toString();
    }

    @Override
    public void write(ByteWriter out) {
      ValueCodec.write(value(), out);
    }

    @Override
    public void read(ByteReader in) {
      String kept = (String) ValueCodec.read(in, TEXT);
      text = kept == null ? null : new StringBuilder(kept);
    }
  }

  /** Keeps the list of texts and the separator that came last. */
  static final class Retractable implements Accumulator {
    private final AggregateCall call;
    private final Bag bag = new Bag();
    private String delimiter = ",";

    Retractable(AggregateCall call) {
      this.call = call;
    }

    @Override
    public void add(Object[] row) {
      Object value = row[call.args[0]];
      if (value == null) return;
      delimiter = delimiter(call, row);
      bag.add(value);
    }

    @Override
    public void retract(Object[] row) {
      Object value = row[call.args[0]];
      if (value != null) bag.remove(value);
    }

    @Override
    public Object value() {
      if (bag.values.isEmpty()) return null;
      StringJoiner text = new StringJoiner(delimiter);
      for (Object value : bag.values) text.add((String) value);
      return text.toString();
    }

    @Override
    public void write(ByteWriter out) {
      ValueCodec.write(delimiter, out);
      bag.write(out);
    }

    @Override
    public void read(ByteReader in) {
      delimiter = (String) ValueCodec.read(in, TEXT);
      bag.read(in, TEXT);
    }
  }
}
