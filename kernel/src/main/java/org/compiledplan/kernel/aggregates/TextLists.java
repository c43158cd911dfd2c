package org.compiledplan.kernel.aggregates;

import java.util.StringJoiner;
import org.compiledplan.kernel.state.serialization.Fields;
import org.compiledplan.kernel.values.ValueType;

/**
 * LISTAGG: texts joined by a separator, by default a comma; nulls are skipped, null without values
 * (Flink's ListAggFunction, ListAggWithRetractAggFunction, ListAggWsWithRetractAggFunction).
 */
final class TextLists {
  private static final ValueType TEXT = ValueType.of(ValueType.Kind.STRING);

  private TextLists() {}

  private static String delimiter(AggregateCall call, Object[] row) {
    return call.args().length > 1 ? (String) row[call.args()[1]] : ",";
  }

  /** Stores the joined text and, if the separator is a column, the last separator. */
  static final class InsertOnly implements Accumulator {
    private final AggregateCall call;
    private StringBuilder text;
    private String delimiter;

    InsertOnly(AggregateCall call) {
      this.call = call;
      delimiter = call.args().length > 1 ? "," : delimiter(call, null);
    }

    @Override
    public void add(Object[] row) {
      Object value = row[call.args()[0]];
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
    public void merge(Accumulator source) {
      InsertOnly that = (InsertOnly) source;
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
    public AccumulatorForm form() {
      return AccumulatorForm.TEXT_LIST;
    }

    @Override
    public void fields(Fields io) {
      if (call.args().length > 1) delimiter = (String) io.value("delimiter", TEXT, delimiter);
      String stored = (String) io.value("text", TEXT, value());
      text = stored == null ? null : new StringBuilder(stored);
    }
  }

  /** Stores the list of texts and the last separator. */
  static final class Retractable implements Accumulator {
    private final AggregateCall call;
    private final Bag bag = new Bag();
    private String delimiter = ",";

    Retractable(AggregateCall call) {
      this.call = call;
    }

    @Override
    public void add(Object[] row) {
      Object value = row[call.args()[0]];
      if (value == null) return;
      delimiter = delimiter(call, row);
      bag.add(value);
    }

    @Override
    public void retract(Object[] row) {
      Object value = row[call.args()[0]];
      if (value != null) bag.remove(value);
    }

    @Override
    public void merge(Accumulator source) {
      Retractable that = (Retractable) source;
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
    public AccumulatorForm form() {
      return AccumulatorForm.TEXT_LIST_RETRACTABLE;
    }

    @Override
    public void fields(Fields io) {
      delimiter = (String) io.value("delimiter", TEXT, delimiter);
      bag.fields(io, TEXT);
    }
  }
}
