package org.compiledplan.kernel.flink.mapping;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.compiledplan.kernel.operators.base.EntryTimes;
import org.compiledplan.kernel.operators.base.OperatorSpec;
import org.compiledplan.kernel.operators.base.StateFormat;
import org.compiledplan.kernel.state.serialization.FieldShape;
import org.compiledplan.kernel.state.serialization.StateFormatException;
import org.compiledplan.kernel.state.serialization.Tree;
import org.compiledplan.kernel.values.ValueType;

/**
 * Converts Flink's state of an operator, key by key, and the operator's state into Flink's. Serves
 * one task at a time.
 */
public abstract class FlinkMapping {
  /**
   * The operator that continues the state.
   *
   * @param spec its description
   * @param format the format of its state
   * @param facts what determines its state in Flink beside its parameters; {@code proctimes} are
   *     the columns of each input with a processing time, {@code types} their types in Flink's SQL,
   *     for the way back
   * @param written the time of last write of entries that have none, in ms
   */
  public record Target(OperatorSpec spec, StateFormat<?> format, JsonNode facts, long written) {
    /** The column types of an input. */
    ValueType[] input(int at) {
      return spec.inputs()[at];
    }

    /**
     * A row of an input.
     *
     * @param written the row's processing time in ms, which Flink does not store
     * @throws StateFormatException if it is no row of the input's types
     */
    Object[] row(JsonNode row, int input, long written) {
      Object[] values = FlinkValues.row(row, input(input));
      for (int at = 0; at < values.length; at++)
        if (values[at] == null && isProctime(input, at)) values[at] = Instant.ofEpochMilli(written);
      return values;
    }

    private boolean isProctime(int input, int at) {
      for (JsonNode column : facts.path("proctimes").path(input))
        if (column.asInt() == at) return true;
      return false;
    }

    /** A row of an input in the neutral form. */
    ArrayNode toJson(Object[] row, int input) {
      ArrayNode values = FlinkValues.toJson(row, input(input));
      for (JsonNode column : facts.path("proctimes").path(input)) values.setNull(column.asInt());
      return values;
    }

    /** Some columns of a row of an input in the neutral form. */
    ArrayNode toJson(Object[] row, int input, int[] columns) {
      ArrayNode all = toJson(row, input);
      ArrayNode values = JsonNodeFactory.instance.arrayNode();
      for (int column : columns) values.add(all.get(column));
      return values;
    }

    /** The type of a row of an input in Flink. */
    JsonNode rowType(int input) {
      return JsonNodeFactory.instance.objectNode().set("row", facts.path("types").path(input));
    }

    /** The type of a row with some columns of an input. */
    JsonNode rowType(int input, int[] columns) {
      ArrayNode types = JsonNodeFactory.instance.arrayNode();
      for (int column : columns) types.add(facts.path("types").path(input).get(column));
      return JsonNodeFactory.instance.objectNode().set("row", types);
    }

    /** Returns true if the entries of a state of the plan expire. */
    boolean hasTtl(int entry) {
      return spec.ttl(entry) > 0;
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

    /** The time of the last write of an element of a list. */
    long written(FlinkEntry entry, int element) {
      long time = entry.written(element);
      return time == EntryTimes.NONE ? written : time;
    }
  }

  /** The time at which the state of an idle key is dropped. */
  static final String CLEANUP = "cleanup-timestamp";

  private static final Map<String, Function<Target, FlinkMapping>> TYPES = new LinkedHashMap<>();

  static {
    TYPES.put("group-aggregate", GroupAggregateMapping::new);
    TYPES.put("window-aggregate", WindowAggregateMapping::new);
    TYPES.put("session-aggregate", SessionMapping.Aggregates::new);
    TYPES.put("session-rows", SessionMapping.Rows::new);
    TYPES.put("join", JoinMapping::new);
    TYPES.put("deduplicate", KeptRowMapping::new);
    TYPES.put("changelog-normalize", KeptRowMapping::new);
    TYPES.put("multi-join", MultiJoinMapping::new);
    TYPES.put("rank", RankMapping::new);
    TYPES.put("sink-upsert-materializer", SinkUpsertMaterializerMapping::new);
    TYPES.put("interval-join", IntervalJoinMapping::new);
    TYPES.put("temporal-join", TemporalJoinMapping::new);
    TYPES.put("proctime-temporal-join", TemporalJoinMapping.Proctime::new);
    TYPES.put("rowtime-sort", TemporalSortMapping::new);
    TYPES.put("proctime-sort", TemporalSortMapping.Proctime::new);
    TYPES.put("keep-first-in-order", KeepFirstInOrderMapping::new);
    TYPES.put("lookup-materializer", LookupMaterializerMapping::new);
    TYPES.put("proctime-over", OverMapping.Proctime::new);
    TYPES.put("rowtime-over", OverMapping.Rowtime::new);
    TYPES.put("column-over", OverMapping.Columns::new);
    TYPES.put("match-recognize", MatchMapping::new);
    TYPES.put("window-join", AttachedWindowMapping.Join::new);
    TYPES.put("window-rank", AttachedWindowMapping.Rank::new);
    TYPES.put("window-deduplicate", AttachedWindowMapping.Deduplicate::new);
  }

  final Target target;

  FlinkMapping(Target target) {
    this.target = target;
  }

  /**
   * Creates the mapping of an operator.
   *
   * @throws StateFormatException if Flink's state of this type of operator is not known
   */
  public static FlinkMapping of(Target target) {
    Function<Target, FlinkMapping> type = TYPES.get(target.spec().type());
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

  /**
   * Flink's states of the operator, for the way back.
   *
   * @throws StateFormatException if the operator's state is not converted into Flink's
   */
  List<FlinkState> states() {
    throw new StateFormatException("the state of this operator is not converted into Flink's");
  }

  /** The type of Flink's key. */
  JsonNode keyType() {
    return target.rowType(0, target.spec().key(0));
  }

  /**
   * Converts the state of a key into entries of Flink's states.
   *
   * @param tree the state as the operator's format decodes it
   */
  List<ObjectNode> toFlink(Tree tree) {
    throw new StateFormatException("the state of this operator is not converted into Flink's");
  }

  /**
   * Flink's states of the operator, as in the head of the neutral form.
   *
   * @throws StateFormatException if the operator's state is not converted into Flink's
   */
  public final ArrayNode described() {
    ArrayNode described = JsonNodeFactory.instance.arrayNode();
    for (FlinkState state : states()) described.add(state.describe(keyType()));
    return described;
  }

  /** Converts the bytes of a key's state into lines of the neutral form. */
  public final List<ObjectNode> lines(byte[] bytes) {
    return toFlink(target.format().decode(bytes));
  }

  /** The positions of aggregate calls whose accumulators are computed from the stored rows. */
  BitSet recounted() {
    return new BitSet();
  }

  /** Encodes the result of {@link #of}. */
  public final byte[] encode(Tree tree) {
    return target.format().encode(tree, recounted());
  }

  /**
   * The fields that precede those of an operator whose idle keys expire: the key expires when
   * Flink's cleanup timer would fire.
   *
   * @param cleanup the state with the time of that timer
   * @param due the time of the operator's own timer; null for none
   */
  final Tree idle(FlinkKey key, String cleanup, Long due) {
    FlinkEntry timer = key.only(cleanup);
    Tree tree = new Tree();
    tree.put(
        "lastChange",
        timer == null ? lastWritten(key) : timer.value().longValue() - target.spec().ttl(0));
    tree.put("due", due);
    return tree;
  }

  private long lastWritten(FlinkKey key) {
    long last = EntryTimes.NONE;
    for (String state : key.states())
      for (FlinkEntry entry : key.all(state)) last = Math.max(last, entry.written());
    return last == EntryTimes.NONE ? target.written() : last;
  }

  /**
   * The columns of a row that state contains, from a whole row of the first input.
   *
   * @param written see {@link Target#row}
   */
  final Object[] columns(JsonNode row, FieldShape field, long written) {
    int[] places = field.columns().places();
    Object[] values = new Object[places.length];
    for (int i = 0; i < places.length; i++) {
      if (places[i] >= row.size())
        throw new StateFormatException(
            "a row of Flink's state has " + row.size() + " columns, and no column " + places[i]);
      values[i] = FlinkValues.of(row.get(places[i]), field.columns().types()[i]);
      if (values[i] == null && target.isProctime(0, places[i]))
        values[i] = Instant.ofEpochMilli(written);
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
