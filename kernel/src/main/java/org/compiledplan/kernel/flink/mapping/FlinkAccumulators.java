package org.compiledplan.kernel.flink.mapping;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.compiledplan.kernel.aggregates.AccumulatorForm;
import org.compiledplan.kernel.operators.base.OperatorSpec;
import org.compiledplan.kernel.state.serialization.FieldShape;
import org.compiledplan.kernel.state.serialization.FrameShape;
import org.compiledplan.kernel.state.serialization.StateFormatException;
import org.compiledplan.kernel.state.serialization.Tree;
import org.compiledplan.kernel.values.ValueType;
import org.compiledplan.kernel.values.Values;

/**
 * The accumulators of an operator's aggregate calls. Flink has one row of accumulators: the columns
 * of each call in the plan's order, a COUNT(*) if the operator counts rows and no call does, and an
 * empty column per view of distinct values. Collections are views, states of their own: {@code
 * distinctAcc_<n>} for all calls that are distinct over the same columns, {@code agg<n>$<field>}
 * for those of a call. Calls that are built from structures have one column, the others several.
 */
final class FlinkAccumulators {
  private static final ValueType LONG = ValueType.of(ValueType.Kind.LONG);
  private static final ValueType DOUBLE = ValueType.of(ValueType.Kind.DOUBLE);
  private static final ValueType TEXT = ValueType.of(ValueType.Kind.STRING);
  private static final int BITS = 64;

  /** The end of the name of the state with the null of a view of distinct values. */
  private static final String NULL = "_null_state";

  /** An aggregate call: its first column in the row, and its arguments and type in the plan. */
  private record Call(
      int number,
      int column,
      String function,
      ValueType[] arguments,
      ValueType result,
      boolean retracts,
      Distinct distinct,
      int position,
      FlinkCallTypes types) {
    @Override
    public String toString() {
      return "aggregate call " + number + " (" + function + ")";
    }
  }

  /** The distinct values of some columns, for one or more calls. */
  private static final class Distinct {
    private final String state;
    private final ValueType type;

    /** Number of calls. */
    private int calls;

    /** The type of the values in Flink, for the way back. */
    private FlinkCallTypes types;

    Distinct(int number, ValueType[] columns) {
      state = "distinctAcc_" + number;
      type = columns.length == 1 ? columns[0] : ValueType.nested(ValueType.Kind.ROW, columns);
    }
  }

  private final List<Call> calls = new ArrayList<>();
  private final List<FrameShape> shapes;
  private final boolean counted;

  /** Position of the column with the number of rows; -1 if rows are not counted. */
  private final int count;

  /** Number of columns without and with those of distinct views. */
  private final int columns;

  private final int allColumns;
  private final List<Distinct> views;

  /**
   * @param aggregates the field of the state with the accumulators
   * @param firstResult position of the first call's result in the output
   * @param retracts true if rows may be retracted, for calls that do not say so themselves
   * @param counted true if Flink's operator counts the rows
   */
  FlinkAccumulators(
      FlinkMapping.Target target,
      FieldShape aggregates,
      int firstResult,
      boolean retracts,
      boolean counted) {
    this.counted = counted;
    shapes = aggregates.frames();
    JsonNode specs = target.spec().get("aggs");
    Map<List<Integer>, Distinct> distincts = new LinkedHashMap<>();
    int column = 0;
    int countColumn = -1;
    for (int i = 0; i < specs.size(); i++) {
      JsonNode spec = specs.get(i);
      int[] args = OperatorSpec.ints(spec.path("args"));
      ValueType[] types = new ValueType[args.length];
      for (int k = 0; k < args.length; k++) types[k] = target.input(0)[args[k]];
      Distinct distinct = null;
      if (spec.path("distinct").asBoolean() && args.length > 0) {
        List<Integer> key = Arrays.stream(args).boxed().toList();
        distinct = distincts.computeIfAbsent(key, any -> new Distinct(distincts.size(), types));
      }
      Call call =
          new Call(
              i,
              column,
              spec.path("function").asText(),
              types,
              target.spec().output()[firstResult + i],
              spec.path("needRetract").asBoolean(retracts),
              distinct,
              distinct == null ? 0 : distinct.calls++,
              FlinkCallTypes.of(target.facts(), spec.path("function").asText(), args, i));
      calls.add(call);
      if (distinct != null) distinct.types = call.types;
      boolean countsRows =
          call.function.equals("$COUNT$1")
              && args.length == 0
              && spec.path("filter").asInt(-1) < 0
              && distinct == null;
      if (countsRows) countColumn = column;
      column += width(call, shapes.get(i));
    }
    if (counted && countColumn < 0) countColumn = column++;
    count = countColumn;
    columns = column;
    allColumns = column + distincts.size();
    views = List.copyOf(distincts.values());
  }

  /**
   * The accumulators of windows.
   *
   * @param windows the field of the state with the list of windows
   */
  static FlinkAccumulators ofWindows(FlinkMapping.Target target, FieldShape windows) {
    return new FlinkAccumulators(
        target,
        windows.field("aggregates"),
        target.spec().columns("grouping").length,
        target.spec().flag("needRetraction"),
        target.facts().path("countsRows").asBoolean());
  }

  /** Number of columns of a call. */
  private static int width(Call call, FrameShape shape) {
    return switch ((AccumulatorForm) inner(shape).form) {
      case SUM_INTEGRAL, SUM_FLOATING, SUM_DECIMAL -> countsValues(call) ? 2 : 1;
      case AVERAGE_INTEGRAL, AVERAGE_FLOATING, AVERAGE_DECIMAL, SINGLE_VALUE, TEXT_LIST -> 2;
      default -> 1;
    };
  }

  private static boolean countsValues(Call call) {
    return call.retracts && call.function.equals("$SUM$1");
  }

  private static FrameShape inner(FrameShape shape) {
    return shape.form == AccumulatorForm.DISTINCT ? shape.field("inner").frames().get(0) : shape;
  }

  /**
   * Converts a row of accumulators into the fields {@code rows} and {@code aggregates}.
   *
   * @param row the row
   * @param views the entries of the views, of the row's key and namespace
   * @throws StateFormatException if the row or a view has another form
   */
  Tree of(JsonNode row, FlinkKey views) {
    // The last phase of a split distinct aggregate has no views of its own.
    if (row.size() != allColumns && row.size() != columns)
      throw new StateFormatException(
          "a row of accumulators has " + row.size() + " columns instead of " + allColumns);
    Tree tree = new Tree();
    tree.put("rows", rows(row));
    List<Tree> frames = new ArrayList<>();
    for (Call call : calls) {
      try {
        frames.add(frame(call, shapes.get(call.number), row, views));
      } catch (StateFormatException error) {
        throw new StateFormatException(call + ": " + error.getMessage());
      }
    }
    tree.put("aggregates", frames);
    return tree;
  }

  /** The number of rows; 1 if Flink does not count them. */
  private long rows(JsonNode row) {
    return counted ? number(row.path(count)) : 1;
  }

  private Tree frame(Call call, FrameShape shape, JsonNode row, FlinkKey views) {
    if (shape.form != AccumulatorForm.DISTINCT)
      return shape.filled(fields(call, shape, row, views));
    Tree fields = new Tree();
    Tree seen = new Tree();
    seen.put("counts", distinct(call, views));
    fields.put("seen", seen);
    FrameShape inner = inner(shape);
    fields.put("inner", inner.filled(fields(call, inner, row, views)));
    return shape.filled(fields);
  }

  /** The distinct values of a call; null is in a state of its own. */
  private List<Tree> distinct(Call call, FlinkKey views) {
    Distinct distinct = call.distinct;
    List<Tree> counts = new ArrayList<>();
    for (FlinkEntry entry : views.all(distinct.state)) {
      long count = occurrences(call, entry.value());
      if (count != 0) counts.add(count(entry.userKey(), distinct.type, count));
    }
    for (FlinkEntry entry : views.all(distinct.state + NULL)) {
      long count = occurrences(call, entry.value());
      if (count != 0) counts.add(count(null, distinct.type, count));
    }
    return counts;
  }

  /**
   * The number of occurrences of a distinct value. Where Flink counts the rows it has one count per
   * call, else a bit per call: 1 if the value occurred.
   */
  private long occurrences(Call call, JsonNode value) {
    int position = call.position;
    if (counted) return number(call.distinct.calls == 1 ? value : value.path(position));
    long bits = number(call.distinct.calls <= BITS ? value : value.path(position / BITS));
    return bits >> position % BITS & 1;
  }

  /** The fields of an accumulator that is not distinct. */
  private Tree fields(Call call, FrameShape shape, JsonNode row, FlinkKey views) {
    Tree fields = new Tree();
    JsonNode first = row.path(call.column);
    JsonNode second = row.path(call.column + 1);
    ValueType argument = call.arguments.length == 0 ? null : call.arguments[0];
    AccumulatorForm form = (AccumulatorForm) shape.form;
    switch (form) {
      case COUNT -> fields.put("count", number(first));
      case SUM_INTEGRAL, SUM_FLOATING, SUM_DECIMAL -> {
        Object sum = FlinkValues.of(first, call.result);
        fields.put("count", summands(call, sum, second, row));
        fields.put("sum", form == AccumulatorForm.SUM_DECIMAL ? sum : plain(sum, form));
      }
      case AVERAGE_INTEGRAL -> {
        fields.put("count", number(second));
        fields.put("sum", number(first));
      }
      case AVERAGE_FLOATING -> {
        fields.put("count", number(second));
        fields.put("sum", real(first));
      }
      case AVERAGE_DECIMAL -> {
        fields.put("count", number(second));
        fields.put("sum", FlinkValues.of(first, argument));
      }
      case EXTREMUM -> fields.put("best", FlinkValues.of(first, argument));
      case EXTREMUM_RETRACTABLE -> {
        parts(first, 3);
        fields.put("counts", counts(call, "map", argument, views));
      }
      case EDGE_VALUE -> fields.put("kept", FlinkValues.of(parts(first, 2).get(0), argument));
      case EDGE_VALUE_RETRACTABLE -> {
        parts(first, 4);
        bag(fields, valuesByTime(call, argument, views), new ArrayList<>());
      }
      case TEXT_LIST -> {
        if (call.arguments.length > 1) fields.put("delimiter", FlinkValues.of(first, TEXT));
        fields.put("text", FlinkValues.of(second, TEXT));
      }
      case TEXT_LIST_RETRACTABLE -> {
        boolean delimited = call.arguments.length > 1;
        JsonNode parts = parts(first, delimited ? 3 : 2);
        fields.put("delimiter", delimited ? FlinkValues.of(parts.get(2), TEXT) : ",");
        bag(fields, list(call, "list", TEXT, views), list(call, "retractList", TEXT, views));
      }
      case ARRAY -> {
        JsonNode parts = parts(first, 2);
        bag(fields, list(parts.get(0), argument), list(parts.get(1), argument));
      }
      case MULTISET -> {
        parts(first, 1);
        fields.put("counts", counts(call, "map", argument, views));
      }
      case SINGLE_VALUE -> {
        fields.put("count", number(second));
        fields.put("kept", FlinkValues.of(first, argument));
      }
      case PERCENTILE -> {
        ValueType fractions = ValueType.nested(ValueType.Kind.ARRAY, DOUBLE);
        fields.put("fractions", FlinkValues.of(parts(first, 2).get(0), fractions));
        fields.put("counts", counts(call, "valueCount", DOUBLE, views));
      }
      case LAG -> {
        JsonNode parts = parts(first, 3);
        fields.put("offset", number(parts.get(0)));
        fields.put("default", FlinkValues.of(parts.get(1), argument));
        fields.put("last", list(parts.get(2), argument));
      }
      case WELFORD -> {
        JsonNode parts = parts(first, 3);
        fields.put("count", number(parts.get(0)));
        fields.put("mean", real(parts.get(1)));
        fields.put("squares", real(parts.get(2)));
      }
      case JSON_OBJECT -> {
        parts(first, 1);
        fields.put("members", members(call, views));
      }
      case JSON_ARRAY -> {
        parts(first, 1);
        List<Object> texts = list(call, "list", TEXT, views);
        // Flink stores a null as its JSON text.
        texts.replaceAll(text -> "null".equals(text) ? null : text);
        bag(fields, texts, new ArrayList<>());
      }
      case BITMAP -> {
        fields.putAll((Tree) shape.fresh.get("fields"));
        bitmap(call, first, fields);
      }
      case BITMAP_COUNTS -> bitmapCounts(call, first, views, fields);
      case JAVA_VALUE -> {
        ValueType type = shape.field("accumulator").type();
        fields.put("accumulator", FlinkValues.of(first, type));
      }
      default -> throw new StateFormatException("Flink's accumulator of it is not known");
    }
    return fields;
  }

  /**
   * The number of values in a sum. Where Flink does not count them, what matters is whether there
   * are any, and for $SUM0 that no retraction of a value brings it to 0 too early.
   */
  private long summands(Call call, Object sum, JsonNode count, JsonNode row) {
    if (countsValues(call)) return number(count);
    if (call.function.equals("$SUM$1")) return sum == null ? 0 : 1;
    return rows(row);
  }

  private static Object plain(Object sum, AccumulatorForm form) {
    Number number = sum == null ? 0 : (Number) sum;
    if (form == AccumulatorForm.SUM_FLOATING) return number.doubleValue();
    return number.longValue();
  }

  private static void bitmap(Call call, JsonNode first, Tree fields) {
    boolean builds = call.function.startsWith("$BITMAP_BUILD_");
    JsonNode parts = builds ? null : parts(first, call.retracts ? 2 : 1);
    JsonNode bitmap = builds ? first : parts.get(call.retracts ? 1 : 0);
    byte[] bytes = (byte[]) FlinkValues.of(bitmap, ValueType.of(ValueType.Kind.BINARY));
    boolean present = bytes != null;
    fields.put("rows", call.retracts && !builds ? number(parts.get(0)) : present ? 1L : 0L);
    fields.put("present", present);
    if (present) fields.put("bitmap", bytes);
  }

  private static void bitmapCounts(Call call, JsonNode first, FlinkKey views, Tree fields) {
    List<Tree> counts = counts(call, "valueCount", ValueType.of(ValueType.Kind.INT), views);
    long rows = 0;
    if (call.function.startsWith("$BITMAP_BUILD_")) {
      parts(first, 2);
      for (Tree count : counts) rows += (Long) count.get("count");
    } else {
      rows = number(parts(first, call.function.startsWith("$BITMAP_AND_") ? 2 : 3).get(0));
    }
    fields.put("rows", rows);
    fields.put("counts", counts);
  }

  private static void bag(Tree fields, List<Object> values, List<Object> missing) {
    fields.put("values", values);
    fields.put("missing", missing);
  }

  private static Tree count(JsonNode value, ValueType type, long count) {
    Tree tree = new Tree();
    tree.put("value", FlinkValues.of(value, type));
    tree.put("count", count);
    return tree;
  }

  private static String view(Call call, String field) {
    return "agg" + call.number + "$" + field;
  }

  private static List<Tree> counts(Call call, String field, ValueType type, FlinkKey views) {
    List<Tree> counts = new ArrayList<>();
    for (FlinkEntry entry : views.all(view(call, field)))
      counts.add(count(entry.userKey(), type, number(entry.value())));
    return counts;
  }

  private static List<Tree> members(Call call, FlinkKey views) {
    List<Tree> members = new ArrayList<>();
    for (FlinkEntry entry : views.all(view(call, "map"))) {
      Object value = FlinkValues.of(entry.value(), TEXT);
      Tree member = new Tree();
      member.put("key", FlinkValues.of(entry.userKey(), TEXT));
      // Flink stores an empty text for a null.
      member.put("value", "".equals(value) ? "null" : value);
      members.add(member);
    }
    return members;
  }

  private static List<Object> list(Call call, String field, ValueType type, FlinkKey views) {
    FlinkEntry entry = views.only(view(call, field));
    return entry == null ? new ArrayList<>() : list(entry.value(), type);
  }

  private static List<Object> list(JsonNode value, ValueType type) {
    if (!value.isArray()) throw new StateFormatException("a list is expected, not " + value);
    return FlinkValues.list(value, type);
  }

  /** The values in the order of their arrival. */
  private static List<Object> valuesByTime(Call call, ValueType type, FlinkKey views) {
    TreeMap<Long, List<Object>> byTime = new TreeMap<>();
    for (FlinkEntry entry : views.all(view(call, "orderToValueMap")))
      byTime.put(number(entry.userKey()), list(entry.value(), type));
    List<Object> values = new ArrayList<>();
    byTime.values().forEach(values::addAll);
    return values;
  }

  /** The type of the row of accumulators in Flink, for the way back. */
  JsonNode type() {
    JsonNode[] types = new JsonNode[allColumns];
    for (Call call : calls) {
      JsonNode[] own;
      try {
        own = call.types.columns((AccumulatorForm) inner(shapes.get(call.number)).form);
      } catch (StateFormatException error) {
        throw new StateFormatException(call + ": " + error.getMessage());
      }
      int width = width(call, shapes.get(call.number));
      System.arraycopy(own, 0, types, call.column, width);
    }
    if (counted) types[count] = FlinkCallTypes.BIGINT;
    for (int i = columns; i < allColumns; i++) types[i] = FlinkState.text("VOID");
    return FlinkState.type("row", types);
  }

  /** The views of collections in Flink, for the way back. */
  List<FlinkState> views(boolean ttl) {
    List<FlinkState> states = new ArrayList<>();
    for (Distinct distinct : views) {
      JsonNode value = occurrencesType(distinct);
      states.add(FlinkState.map(distinct.state, distinct.types.distinct(), value, ttl));
      states.add(FlinkState.value(distinct.state + NULL, value, ttl));
    }
    for (Call call : calls)
      states.addAll(
          call.types.views(
              (AccumulatorForm) inner(shapes.get(call.number)).form, view(call, ""), ttl));
    return states;
  }

  private JsonNode occurrencesType(Distinct distinct) {
    boolean single = counted ? distinct.calls == 1 : distinct.calls <= BITS;
    return FlinkCallTypes.external(single ? "BIGINT NOT NULL" : "ARRAY<BIGINT NOT NULL> NOT NULL");
  }

  /**
   * Converts the fields {@code rows} and {@code aggregates} into entries of Flink's states.
   *
   * @param state the name of the state with the row of accumulators
   */
  List<ObjectNode> toFlink(Tree tree, String state, JsonNode key, long written, boolean ttl) {
    JsonNode[] row = new JsonNode[allColumns];
    List<ObjectNode> entries = new ArrayList<>();
    Map<Distinct, Map<JsonNode, long[]>> occurrences = new LinkedHashMap<>();
    for (Distinct distinct : views) occurrences.put(distinct, new LinkedHashMap<>());
    List<?> frames = (List<?>) tree.get("aggregates");
    for (Call call : calls) {
      Tree fields = fields((Tree) frames.get(call.number));
      if (call.distinct != null) {
        addOccurrences(call, (Tree) fields.get("seen"), occurrences.get(call.distinct));
        fields = fields((Tree) fields.get("inner"));
      }
      AccumulatorForm form = (AccumulatorForm) inner(shapes.get(call.number)).form;
      JsonNode[] own = toFlink(call, form, fields, written);
      System.arraycopy(own, 0, row, call.column, own.length);
      addViews(call, form, fields, new Entry(key, written, ttl), entries);
    }
    if (counted) row[count] = FlinkState.number((Long) tree.get("rows"));
    for (int i = columns; i < allColumns; i++) row[i] = JsonNodeFactory.instance.nullNode();
    occurrences.forEach(
        (distinct, values) ->
            values.forEach(
                (value, counts) -> entries.add(seen(distinct, key, value, counts, written, ttl))));
    entries.add(FlinkState.value(state, key, ttl).entry(key, null, FlinkState.array(row), written));
    return entries;
  }

  private static Tree fields(Tree frame) {
    return (Tree) frame.get("fields");
  }

  private void addOccurrences(Call call, Tree seen, Map<JsonNode, long[]> to) {
    for (Object item : (List<?>) seen.get("counts")) {
      Tree count = (Tree) item;
      JsonNode value = FlinkValues.toJson(count.get("value"), call.distinct.type);
      to.computeIfAbsent(value, any -> new long[call.distinct.calls])[call.position] =
          (Long) count.get("count");
    }
  }

  /** The entry of a distinct value, see {@link #occurrences}. */
  private ObjectNode seen(
      Distinct distinct, JsonNode key, JsonNode value, long[] counts, long written, boolean ttl) {
    ArrayNode numbers = JsonNodeFactory.instance.arrayNode();
    if (counted) {
      for (long count : counts) numbers.add(count);
    } else {
      long[] bits = new long[(counts.length - 1) / BITS + 1];
      for (int i = 0; i < counts.length; i++) if (counts[i] > 0) bits[i / BITS] |= 1L << i % BITS;
      for (long word : bits) numbers.add(word);
    }
    boolean single = counted ? counts.length == 1 : counts.length <= BITS;
    JsonNode number = single ? numbers.get(0) : numbers;
    if (value.isNull())
      return FlinkState.value(distinct.state + NULL, key, ttl).entry(key, null, number, written);
    return FlinkState.map(distinct.state, key, key, ttl).entry(key, value, number, written);
  }

  /** The parts that all entries of a key have in common. */
  private record Entry(JsonNode key, long written, boolean ttl) {
    ObjectNode map(String state, JsonNode userKey, JsonNode value) {
      return FlinkState.map(state, key, key, ttl).entry(key, userKey, value, written);
    }

    ObjectNode list(String state, JsonNode values) {
      return FlinkState.list(state, key, ttl).entry(key, null, values, written);
    }
  }

  /** Adds the entries of the views of a call that are not those of its distinct values. */
  private void addViews(
      Call call, AccumulatorForm form, Tree fields, Entry common, List<ObjectNode> entries) {
    switch (form) {
      case EXTREMUM_RETRACTABLE, MULTISET -> {
        for (Object count : (List<?>) fields.get("counts")) {
          JsonNode value = FlinkValues.toJson(((Tree) count).get("value"), call.arguments[0]);
          JsonNode number = FlinkState.number((Long) ((Tree) count).get("count"));
          entries.add(common.map(view(call, "map"), value, number));
        }
      }
      case TEXT_LIST_RETRACTABLE -> {
        String[] bags = {"values", "missing"};
        String[] views = {"list", "retractList"};
        for (int i = 0; i < bags.length; i++) {
          ArrayNode texts = bag(fields, bags[i], TEXT);
          if (!texts.isEmpty()) entries.add(common.list(view(call, views[i]), texts));
        }
      }
      case EDGE_VALUE_RETRACTABLE -> {
        // Each value has an order of its own; those of rows that follow are later.
        Map<JsonNode, ArrayNode> orders = new LinkedHashMap<>();
        ArrayNode values = bag(fields, "values", call.arguments[0]);
        for (int i = 0; i < values.size(); i++) {
          JsonNode order = FlinkState.number(order(common.written, i, values.size()));
          JsonNode same = FlinkState.array(values.get(i));
          entries.add(common.map(view(call, "orderToValueMap"), order, same));
          orders
              .computeIfAbsent(values.get(i), any -> JsonNodeFactory.instance.arrayNode())
              .add(order);
        }
        orders.forEach(
            (value, of) -> entries.add(common.map(view(call, "valueToOrderMap"), value, of)));
      }
      default -> {}
    }
  }

  private static long order(long written, int position, int count) {
    return written - count + 1 + position;
  }

  private static ArrayNode bag(Tree fields, String name, ValueType type) {
    ArrayNode values = JsonNodeFactory.instance.arrayNode();
    for (Object value : (List<?>) fields.get(name)) values.add(FlinkValues.toJson(value, type));
    return values;
  }

  /** The accumulator of the first or last of some values that may be retracted. */
  private static JsonNode edge(Call call, Tree fields, long written) {
    ArrayNode values = bag(fields, "values", call.arguments[0]);
    if (!((List<?>) fields.get("missing")).isEmpty())
      throw new StateFormatException(call + " has retracted a value that it has not received");
    boolean first = call.function.startsWith("$FIRST");
    int at = first ? 0 : values.size() - 1;
    JsonNode none = JsonNodeFactory.instance.nullNode();
    if (values.isEmpty())
      return FlinkState.array(
          none, FlinkState.number(first ? Long.MAX_VALUE : Long.MIN_VALUE), none, none);
    JsonNode order = FlinkState.number(order(written, at, values.size()));
    return FlinkState.array(values.get(at), order, none, none);
  }

  /** The columns of a call in the row of accumulators. */
  private JsonNode[] toFlink(Call call, AccumulatorForm form, Tree fields, long written) {
    ValueType argument = call.arguments.length == 0 ? null : call.arguments[0];
    return switch (form) {
      case COUNT -> new JsonNode[] {number(fields, "count")};
      case SUM_INTEGRAL, SUM_FLOATING, SUM_DECIMAL -> {
        boolean none = call.function.equals("$SUM$1") && (Long) fields.get("count") == 0;
        JsonNode sum = none ? null : summed(fields.get("sum"), call.result);
        if (none) sum = JsonNodeFactory.instance.nullNode();
        yield countsValues(call)
            ? new JsonNode[] {sum, number(fields, "count")}
            : new JsonNode[] {sum};
      }
      case AVERAGE_INTEGRAL -> new JsonNode[] {number(fields, "sum"), number(fields, "count")};
      case AVERAGE_FLOATING ->
          new JsonNode[] {summed(fields.get("sum"), DOUBLE), number(fields, "count")};
      case AVERAGE_DECIMAL ->
          new JsonNode[] {summed(fields.get("sum"), argument), number(fields, "count")};
      case EXTREMUM -> new JsonNode[] {FlinkValues.toJson(fields.get("best"), argument)};
      case EXTREMUM_RETRACTABLE -> new JsonNode[] {extreme(call, fields)};
      case MULTISET -> new JsonNode[] {FlinkState.array(JsonNodeFactory.instance.nullNode())};
      case TEXT_LIST_RETRACTABLE -> {
        JsonNode none = JsonNodeFactory.instance.nullNode();
        JsonNode delimiter = FlinkValues.toJson(fields.get("delimiter"), TEXT);
        yield new JsonNode[] {
          call.arguments.length > 1
              ? FlinkState.array(none, none, delimiter)
              : FlinkState.array(none, none)
        };
      }
      case EDGE_VALUE_RETRACTABLE -> new JsonNode[] {edge(call, fields, written)};
      case TEXT_LIST -> {
        Object delimiter = call.arguments.length > 1 ? fields.get("delimiter") : ",";
        yield new JsonNode[] {
          FlinkValues.toJson(delimiter, TEXT), FlinkValues.toJson(fields.get("text"), TEXT)
        };
      }
      case EDGE_VALUE -> {
        JsonNode kept = FlinkValues.toJson(fields.get("kept"), argument);
        boolean first = call.function.startsWith("$FIRST");
        // Flink's mark for no value yet.
        long none = first ? Long.MAX_VALUE : Long.MIN_VALUE;
        JsonNode order = FlinkState.number(kept.isNull() ? none : first ? written : Long.MIN_VALUE);
        yield new JsonNode[] {FlinkState.array(kept, order)};
      }
      default -> throw new StateFormatException("its accumulator is not converted into Flink's");
    };
  }

  private static JsonNode number(Tree fields, String name) {
    return FlinkState.number(((Number) fields.get(name)).longValue());
  }

  /** A sum, which is 0 without a value. */
  private static JsonNode summed(Object sum, ValueType type) {
    Number number = sum == null ? 0 : (Number) sum;
    if (type.kind() == ValueType.Kind.DECIMAL && !(number instanceof BigDecimal))
      number = new BigDecimal(number.longValue());
    return FlinkValues.toJson(type.isIntegral() ? (Object) number.longValue() : number, type);
  }

  private static JsonNode extreme(Call call, Tree fields) {
    ValueType type = call.arguments[0];
    List<?> counts = (List<?>) fields.get("counts");
    Object best = null;
    for (Object item : counts) {
      Object value = ((Tree) item).get("value");
      if (best == null) best = value;
      int order = Values.compare(value, best);
      if (call.function.startsWith("$MIN") ? order < 0 : order > 0) best = value;
    }
    return FlinkState.array(
        FlinkValues.toJson(best, type),
        FlinkState.number(counts.size()),
        JsonNodeFactory.instance.nullNode());
  }

  /** The fields of a structure, of which those that are views are empty. */
  private static JsonNode parts(JsonNode value, int count) {
    if (!value.isArray() || value.size() != count)
      throw new StateFormatException(
          "an accumulator of " + count + " fields is expected instead of " + value);
    return value;
  }

  private static long number(JsonNode value) {
    if (value.isMissingNode() || value.isNull())
      throw new StateFormatException("a number is missing");
    return (Long) FlinkValues.of(value, LONG);
  }

  private static double real(JsonNode value) {
    if (value.isMissingNode() || value.isNull())
      throw new StateFormatException("a number is missing");
    return (Double) FlinkValues.of(value, DOUBLE);
  }
}
