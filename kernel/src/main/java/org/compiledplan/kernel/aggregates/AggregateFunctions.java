package org.compiledplan.kernel.aggregates;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Supplier;
import org.compiledplan.kernel.values.ValueType;

/** Registry of the aggregate functions by their names in a plan. */
public final class AggregateFunctions {
  private static final Map<String, Function<AggregateCall, Supplier<Accumulator>>> FUNCTIONS =
      new HashMap<>();

  static {
    FUNCTIONS.put("$COUNT$1", call -> () -> new CountAccumulator(call.args()));
    FUNCTIONS.put("$SUM$1", call -> sum(call, false));
    FUNCTIONS.put("$$SUM0$1", call -> sum(call, true));
    FUNCTIONS.put("$MIN$1", call -> extremum(call, -1));
    FUNCTIONS.put("$MAX$1", call -> extremum(call, 1));
    FUNCTIONS.put("$AVG$1", AggregateFunctions::average);
    FUNCTIONS.put("$FIRST_VALUE$1", call -> edge(call, true));
    FUNCTIONS.put("$LAST_VALUE$1", call -> edge(call, false));
    FUNCTIONS.put(
        "$LISTAGG$1",
        call ->
            call.retract()
                ? () -> new TextLists.Retractable(call)
                : () -> new TextLists.InsertOnly(call));
    FUNCTIONS.put("$ARRAY_AGG$1", call -> () -> new ArrayAccumulator(call));
    FUNCTIONS.put("$COLLECT$1", call -> () -> new CollectAccumulator(call));
    FUNCTIONS.put("$LAG$1", call -> () -> new LagAccumulator(call));
    // In an OVER window a row's number is the count of rows up to it, as are Flink's ranks,
    // regardless of ties.
    FUNCTIONS.put("$ROW_NUMBER$1", call -> () -> new CountAccumulator(call.args()));
    FUNCTIONS.put("$RANK$1", call -> () -> new CountAccumulator(call.args()));
    FUNCTIONS.put("$DENSE_RANK$1", call -> () -> new CountAccumulator(call.args()));
    FUNCTIONS.put("$SINGLE_VALUE$1", call -> () -> new SingleValueAccumulator(call));
    FUNCTIONS.put("$PERCENTILE$1", call -> () -> new PercentileAccumulator(call));
    FUNCTIONS.put("$$WELFORD_M2$1$1", call -> () -> new WelfordAccumulator(call.args()[0]));
    FUNCTIONS.put(
        "$JSON_OBJECTAGG_NULL_ON_NULL$1", call -> () -> new JsonAccumulators.ObjectAgg(call, true));
    FUNCTIONS.put(
        "$JSON_OBJECTAGG_ABSENT_ON_NULL$1",
        call -> () -> new JsonAccumulators.ObjectAgg(call, false));
    FUNCTIONS.put(
        "$JSON_ARRAYAGG_NULL_ON_NULL$1", call -> () -> new JsonAccumulators.ArrayAgg(call, true));
    FUNCTIONS.put(
        "$JSON_ARRAYAGG_ABSENT_ON_NULL$1",
        call -> () -> new JsonAccumulators.ArrayAgg(call, false));
    for (BitmapAccumulators.Operation operation : BitmapAccumulators.Operation.values()) {
      Function<AggregateCall, Supplier<Accumulator>> maker =
          call -> () -> BitmapAccumulators.of(call, operation);
      FUNCTIONS.put("$BITMAP_" + operation + "_AGG$1", maker);
      FUNCTIONS.put("$BITMAP_" + operation + "_CARDINALITY_AGG$1", maker);
    }
  }

  private AggregateFunctions() {}

  /** Returns a supplier of fresh accumulators for the call. */
  public static Supplier<Accumulator> of(AggregateCall call) {
    Function<AggregateCall, Supplier<Accumulator>> function =
        call.python() != null
            ? python -> () -> new PythonAccumulator(python)
            : call.java() != null
                ? java -> () -> new JavaAccumulator(java)
                : FUNCTIONS.get(call.function());
    if (function == null) {
      throw new IllegalArgumentException(
          "aggregate function %s is not supported by the kernel; supported are %s"
              .formatted(call.function(), new TreeSet<>(FUNCTIONS.keySet())));
    }
    Supplier<Accumulator> maker = function.apply(call);
    return call.distinct() ? () -> new DistinctAccumulator(maker.get(), call) : maker;
  }

  /**
   * Returns true if the result depends on the order of the rows: floating-point sums round
   * differently, and of NaN or the two zeros the first counts.
   */
  public static boolean isOrderSensitive(AggregateCall call) {
    return switch (call.function()) {
      case "$COUNT$1" -> false;
      case "$MIN$1", "$MAX$1" -> call.retract() || call.argTypes()[0].isFloating();
      case "$SUM$1", "$$SUM0$1" -> call.retract() || !call.resultType().isIntegral();
      case "$AVG$1" -> call.retract() || !call.argTypes()[0].isIntegral();
      default -> call.retract() || !call.function().startsWith("$BITMAP_");
    };
  }

  private static Supplier<Accumulator> sum(AggregateCall call, boolean zeroIfEmpty) {
    int arg = call.args()[0];
    ValueType type = call.resultType();
    return switch (type.kind()) {
      case BYTE, SHORT, INT, LONG -> () -> new Sums.Integral(arg, type, zeroIfEmpty);
      case FLOAT, DOUBLE -> () -> new Sums.Floating(arg, type, zeroIfEmpty);
      case DECIMAL -> () -> new Sums.Decimal(arg, type, zeroIfEmpty);
      default -> throw new IllegalArgumentException("SUM of " + type + " is not supported");
    };
  }

  private static Supplier<Accumulator> average(AggregateCall call) {
    int arg = call.args()[0];
    ValueType type = call.resultType();
    return switch (type.kind()) {
      case BYTE, SHORT, INT, LONG -> () -> new Averages.Integral(arg, type);
      case FLOAT, DOUBLE -> () -> new Averages.Floating(arg, type);
      case DECIMAL -> () -> new Averages.Decimal(arg, call.argTypes()[0], type);
      default -> throw new IllegalArgumentException("AVG of " + type + " is not supported");
    };
  }

  private static Supplier<Accumulator> extremum(AggregateCall call, int sign) {
    ValueType type = call.argTypes()[0];
    int arg = call.args()[0];
    return call.retract()
        ? () -> new Extrema.Retractable(arg, type, sign)
        : () -> new Extrema.InsertOnly(arg, type, sign);
  }

  private static Supplier<Accumulator> edge(AggregateCall call, boolean first) {
    return call.retract()
        ? () -> new EdgeValues.Retractable(call, first)
        : () -> new EdgeValues.InsertOnly(call, first);
  }
}
