package org.compiledplan.kernel.operators.aggregate;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Base64;
import java.util.BitSet;
import java.util.List;
import java.util.function.Supplier;
import org.compiledplan.kernel.aggregates.Accumulator;
import org.compiledplan.kernel.aggregates.AggregateCall;
import org.compiledplan.kernel.aggregates.AggregateFunctions;
import org.compiledplan.kernel.aggregates.JavaAggregate;
import org.compiledplan.kernel.aggregates.PythonCall;
import org.compiledplan.kernel.operators.base.OperatorSpec;
import org.compiledplan.kernel.operators.base.StrictObject;
import org.compiledplan.kernel.state.serialization.Columns;
import org.compiledplan.kernel.state.serialization.Frames;
import org.compiledplan.kernel.userfunctions.FunctionSpec;
import org.compiledplan.kernel.userfunctions.TaskFunction;
import org.compiledplan.kernel.values.ValueType;

/** The aggregate calls of an operator, with their FILTER columns: the spec's {@code aggs}. */
public final class AggregateCalls {
  private final int[] filters;
  private final List<Supplier<Accumulator>> functions = new ArrayList<>();

  private final boolean orderSensitive;
  private final BitSet distinct = new BitSet();
  private final BitSet columns = new BitSet();
  private final Frames.Layout<Accumulator> layout;

  /**
   * @param firstResult output position of the first call's result
   * @param needRetraction whether rows may be retracted, for calls that do not say so themselves
   */
  public AggregateCalls(OperatorSpec spec, int firstResult, boolean needRetraction) {
    JsonNode aggs = spec.get("aggs");
    filters = new int[aggs.size()];
    boolean sensitive = false;
    List<ObjectNode> descriptions = new ArrayList<>();
    for (int i = 0; i < filters.length; i++) {
      AggregateCall call = call(spec, aggs.get(i), spec.output()[firstResult + i], needRetraction);
      filters[i] = aggs.get(i).path("filter").asInt(-1);
      if (filters[i] >= 0) columns.set(filters[i]);
      for (int arg : call.args()) columns.set(arg);
      functions.add(AggregateFunctions.of(call));
      descriptions.add(description(spec, aggs.get(i)));
      sensitive |= AggregateFunctions.isOrderSensitive(call);
      if (call.distinct()) distinct.set(i);
    }
    orderSensitive = sensitive;
    layout = new Frames.Layout<>("operator " + spec.uid(), this::fresh, descriptions);
  }

  private static AggregateCall call(
      OperatorSpec spec, JsonNode agg, ValueType resultType, boolean needRetraction) {
    int[] args = OperatorSpec.ints(agg.path("args"));
    ValueType[] argTypes = new ValueType[args.length];
    for (int i = 0; i < args.length; i++) argTypes[i] = spec.inputs()[0][args[i]];
    return new AggregateCall(
        agg.path("function").asText(),
        args,
        argTypes,
        resultType,
        agg.path("distinct").asBoolean(false),
        agg.path("needRetract").asBoolean(needRetraction),
        agg.path("ignoreNulls").asBoolean(false),
        agg.hasNonNull("python") ? python(agg.get("python")) : null,
        java(agg));
  }

  /** The Java function of a call, or null. */
  public static JavaAggregate java(JsonNode call) {
    if (!StrictObject.holds(call, "java") || !call.hasNonNull("java")) return null;
    JsonNode spec = call.get("java");
    TaskFunction function = new TaskFunction(FunctionSpec.of(spec.path("function").asText()));
    return new JavaAggregate(function, type(spec.get("accumulator")));
  }

  private static PythonCall python(JsonNode spec) {
    byte[] payload = Base64.getDecoder().decode(spec.path("payload").asText());
    return new PythonCall(
        spec.path("executable").asText(),
        spec.path("program").asText(),
        payload,
        spec.path("token").asText(),
        OperatorSpec.ints(spec.path("skips")),
        StrictObject.holds(spec, "accumulator") ? type(spec.get("accumulator")) : null);
  }

  private static ValueType type(JsonNode spec) {
    if (spec.isNull()) return null;
    ValueType.Kind kind = ValueType.Kind.valueOf(spec.path("kind").asText());
    JsonNode parts = spec.path("children");
    ValueType[] children = new ValueType[parts.size()];
    for (int i = 0; i < children.length; i++) children[i] = type(parts.get(i));
    return new ValueType(
        kind, spec.path("precision").asInt(), spec.path("scale").asInt(), children);
  }

  public int size() {
    return functions.size();
  }

  /** Returns true if a result depends on the order of the rows. */
  public boolean isOrderSensitive() {
    return orderSensitive;
  }

  public BitSet columns() {
    return (BitSet) columns.clone();
  }

  /** Approximate size in bytes of the distinct values that the accumulators hold. */
  long heldBytes(Accumulator[] accumulators) {
    long bytes = 0;
    for (int i = distinct.nextSetBit(0); i >= 0; i = distinct.nextSetBit(i + 1)) {
      bytes += accumulators[i].heldBytes();
    }
    return bytes;
  }

  public Accumulator[] fresh() {
    Accumulator[] accumulators = new Accumulator[functions.size()];
    for (int i = 0; i < accumulators.length; i++) accumulators[i] = functions.get(i).get();
    return accumulators;
  }

  /** Accumulates a row, or retracts it if {@code add} is false. */
  public void process(Accumulator[] accumulators, Object[] row, boolean add) {
    for (int i = 0; i < accumulators.length; i++) {
      if (leavesOut(i, row)) continue;
      if (add) accumulators[i].add(row);
      else accumulators[i].retract(row);
    }
  }

  private boolean leavesOut(int call, Object[] row) {
    return filters[call] >= 0 && !Boolean.TRUE.equals(row[filters[call]]);
  }

  /** Accumulates a row in the calls of {@code some} only. */
  public void add(Accumulator[] accumulators, Object[] row, BitSet some) {
    for (int i = some.nextSetBit(0); i >= 0; i = some.nextSetBit(i + 1)) {
      if (!leavesOut(i, row)) accumulators[i].add(row);
    }
  }

  static void merge(Accumulator[] into, Accumulator[] from) {
    for (int i = 0; i < into.length; i++) into[i].merge(from[i]);
  }

  /** Writes the results into a row, starting at position {@code at}. */
  public static void values(Accumulator[] accumulators, Object[] row, int at) {
    for (int i = 0; i < accumulators.length; i++) row[at + i] = accumulators[i].value();
  }

  /** State layout of the accumulators. */
  public Frames.Layout<Accumulator> layout() {
    return layout;
  }

  private static ObjectNode description(OperatorSpec spec, JsonNode agg) {
    ObjectNode to = JsonNodeFactory.instance.objectNode();
    to.put("function", agg.path("function").asText());
    Columns.ofInput(0, spec.inputs()[0], OperatorSpec.ints(agg.path("args")))
        .describe(to.putArray("arguments"));
    if (agg.path("filter").asInt(-1) >= 0) to.put("filter", agg.path("filter").asInt());
    to.put("distinct", agg.path("distinct").asBoolean(false));
    if (StrictObject.holds(agg, "java") && agg.hasNonNull("java"))
      to.put("code", FunctionSpec.of(agg.path("java").path("function").asText()).className());
    if (agg.hasNonNull("python")) to.put("code", agg.path("python").path("token").asText());
    return to;
  }
}
