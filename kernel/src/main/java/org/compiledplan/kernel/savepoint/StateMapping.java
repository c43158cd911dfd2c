package org.compiledplan.kernel.savepoint;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.compiledplan.kernel.operators.EntryTimes;
import org.compiledplan.kernel.operators.OperatorSpec;
import org.compiledplan.kernel.operators.StateFormat;
import org.compiledplan.kernel.state.FieldShape;
import org.compiledplan.kernel.state.StateFormatException;
import org.compiledplan.kernel.state.Tree;
import org.compiledplan.kernel.values.ValueType;

/** Converts Flink's state of an operator, key by key. Serves one task at a time. */
public abstract class StateMapping {
  /**
   * The operator that continues the state.
   *
   * @param spec its description
   * @param format the format of its state
   * @param facts what determines its state in Flink beside its parameters
   * @param written the time of last write of entries that have none, in ms
   * @param watermark the watermark of the savepoint, in ms; 0 if there is none
   */
  public record Target(
      OperatorSpec spec, StateFormat<?> format, JsonNode facts, long written, long watermark) {
    public Target(OperatorSpec spec, StateFormat<?> format, long written, long watermark) {
      this(spec, format, MissingNode.getInstance(), written, watermark);
    }

    /** The column types of an input. */
    ValueType[] input(int at) {
      return spec.inputs()[at];
    }

    /** The fields of the state, by name. */
    Map<String, FieldShape> fields() {
      Map<String, FieldShape> fields = new LinkedHashMap<>();
      for (FieldShape field : format.fields()) fields.put(field.name(), field);
      return fields;
    }

    /** The state of a key that has none. */
    Tree fresh() {
      return format.decode(null);
    }

    long written(FlinkEntry entry) {
      return entry.written() == EntryTimes.NONE ? written : entry.written();
    }
  }

  private static final String TIMERS = "_timer_state/";

  private static final Map<String, Function<Target, StateMapping>> TYPES = new LinkedHashMap<>();

  static {
    TYPES.put("group-aggregate", GroupAggregateMapping::new);
    TYPES.put("window-aggregate", WindowAggregateMapping::new);
    TYPES.put("session-aggregate", SessionMapping.Aggregates::new);
    TYPES.put("session-rows", SessionMapping.Rows::new);
    TYPES.put("join", JoinMapping::new);
    TYPES.put("deduplicate", KeptRowMapping::new);
    TYPES.put("changelog-normalize", KeptRowMapping::new);
  }

  final Target target;

  StateMapping(Target target) {
    this.target = target;
  }

  /**
   * Creates the mapping of an operator.
   *
   * @throws StateFormatException if Flink's state of this type of operator is not known
   */
  public static StateMapping of(Target target) {
    Function<Target, StateMapping> type = TYPES.get(target.spec().type());
    if (type == null)
      throw new StateFormatException(
          "operator "
              + target.spec().uid()
              + " ("
              + target.spec().type()
              + "): Flink's state of it cannot be read; known are "
              + TYPES.keySet());
    return type.apply(target);
  }

  /**
   * The columns of a row of the first input that the key consists of; all others are null. By
   * default they are those of Flink's key, in order.
   *
   * @return null if the operator does not need the entry
   */
  public Object[] keyRow(FlinkEntry entry) {
    return keyRow(entry.key(), target.spec().key(0));
  }

  /** The key as {@link #keyRow(FlinkEntry)} returns it, from a whole row of an input. */
  final Object[] keyOf(JsonNode row, int input) {
    int[] from = target.spec().key(input);
    int[] to = target.spec().key(0);
    ValueType[] types = target.input(0);
    Object[] key = new Object[types.length];
    for (int i = 0; i < to.length; i++)
      key[to[i]] = FlinkValues.of(row.path(from[i]), types[to[i]]);
    return key;
  }

  static boolean hasNull(JsonNode key) {
    for (JsonNode value : key) if (value.isNull()) return true;
    return false;
  }

  /**
   * Checks the names of the states of a key; timers are always allowed.
   *
   * @throws StateFormatException if there is another one
   */
  static void checkStates(FlinkKey key, String... known) {
    for (String state : key.states())
      if (!state.startsWith(TIMERS) && !List.of(known).contains(state))
        throw new StateFormatException(
            "state " + state + " is unknown, known are " + String.join(", ", known));
  }

  final Object[] keyRow(JsonNode key, int[] columns) {
    if (key.size() != columns.length)
      throw new StateFormatException(
          "its key has " + key.size() + " columns, and " + columns.length + " in the plan");
    ValueType[] types = target.input(0);
    Object[] row = new Object[types.length];
    for (int i = 0; i < columns.length; i++)
      row[columns[i]] = FlinkValues.of(key.get(i), types[columns[i]]);
    return row;
  }

  /**
   * Converts the state of a key.
   *
   * @return null if nothing of it remains
   * @throws StateFormatException if the state is not of the form that Flink writes for the plan
   */
  public abstract Tree of(FlinkKey key);

  /** The columns of a row that state contains, from a whole row of their input. */
  final Object[] columns(JsonNode row, FieldShape field) {
    int[] places = field.columns().places();
    Object[] values = new Object[places.length];
    for (int i = 0; i < places.length; i++) {
      if (places[i] >= row.size())
        throw new StateFormatException(
            "a row of Flink's state has " + row.size() + " columns, and no column " + places[i]);
      values[i] = FlinkValues.of(row.get(places[i]), field.columns().types()[i]);
    }
    return values;
  }
  /** The columns of a row that state contains, from a row of all columns of their input. */
  static Object[] stored(Object[] row, FieldShape field) {
    int[] places = field.columns().places();
    Object[] values = new Object[places.length];
    for (int i = 0; i < places.length; i++) values[i] = row[places[i]];
    return values;
  }
}
