package org.compiledplan.kernel.aggregates;

import java.util.StringJoiner;
import org.compiledplan.kernel.values.ByteReader;
import org.compiledplan.kernel.values.ByteWriter;
import org.compiledplan.kernel.values.Struct;
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

  /** Keeps the text itself and, if that is a column, the separator that came last. */
  static final class InsertOnly implements Accumulator {
    private static final ValueType WITH_DELIMITER = ValueType.nested(ValueType.Kind.ROW, TEXT, TEXT);

    private final AggregateCall call;
    private StringBuilder text;
    private String delimiter;

    InsertOnly(AggregateCall call) {
      this.call = call;
      delimiter = call.args.length > 1 ? "," : delimiter(call, null);
    }

    @Override
    public void add(Object[] row) {
      Object value = row[call.args[0]];
      if (value == null) return;
      delimiter = delimiter(call, row);
      if (text == null) text = new StringBuilder();
      else text.append(delimiter);
      text.append(value);
    }

    @Override
    public void retract(Object[] row) {
      throw new IllegalStateException("LISTAGG over insert-only input got a retraction");
    }

    @Override
    public void merge(Accumulator other) {
      InsertOnly that = (InsertOnly) other;
      if (that.text == null) return;
      if (text == null) text = new StringBuilder(that.text);
      else text.append(that.delimiter).append(that.text);
      delimiter = that.delimiter;
    }

    @Override
    public Object value() {
      return text == null ? null : text.toString();
    }

    @Override
    public void write(ByteWriter out) {
      boolean withDelimiter = text != null && call.args.length > 1;
      ValueCodec.write(withDelimiter ? new Struct(new Object[] {value(), delimiter}) : value(), out);
    }

    @Override
    public void read(ByteReader in) {
      Object kept = ValueCodec.read(in, WITH_DELIMITER);
      if (kept instanceof Struct) delimiter = (String) ((Struct) kept).fields[1];
      Object value = kept instanceof Struct ? ((Struct) kept).fields[0] : kept;
      text = value == null ? null : new StringBuilder((String) value);
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
    public void merge(Accumulator other) {
      Retractable that = (Retractable) other;
      if (!that.bag.values.isEmpty()) delimiter = that.delimiter;
      bag.merge(that.bag);
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
