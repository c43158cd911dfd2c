package org.compiledplan.kernel.host;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.Serializable;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import org.apache.spark.SparkContext;
import org.apache.spark.util.LongAccumulator;

/**
 * Counters of a stage's operators: rows in, out and dropped as late, the changes of the live state
 * entries and of their bytes, time, and the busiest keys. They are Spark accumulators, so a retried
 * task counts twice.
 */
final class StageMetrics implements Serializable {
  static final class Counters implements Serializable {
    final LongAccumulator stateRows;
    final LongAccumulator stateBytes;
    final LongAccumulator rowsIn;
    final LongAccumulator rowsOut;
    final LongAccumulator rowsLate;
    final LongAccumulator busyNanos;

    /** Rows in by input. */
    final LongAccumulator[] inputs;

    final HotKeys hotKeys = new HotKeys();

    /** Copies emitted rows of the next micro-batches; null while none are requested. */
    Tap tap;

    Counters(SparkContext context, String uid, int ports) {
      stateRows = context.longAccumulator(uid + ".stateRows");
      stateBytes = context.longAccumulator(uid + ".stateBytes");
      rowsIn = context.longAccumulator(uid + ".rowsIn");
      rowsOut = context.longAccumulator(uid + ".rowsOut");
      rowsLate = context.longAccumulator(uid + ".rowsLate");
      busyNanos = context.longAccumulator(uid + ".busyNanos");
      inputs = new LongAccumulator[ports];
      for (int port = 0; port < ports; port++)
        inputs[port] = context.longAccumulator(uid + ".rowsIn." + port);
      // Without a name, which would show the keys in Spark's UI.
      context.register(hotKeys);
    }
  }

  private final Map<String, Counters> counters = new LinkedHashMap<>();

  StageMetrics(SparkContext context, StageSpec spec) {
    for (StageSpec.OperatorPart part : spec.operators)
      counters.put(part.uid, new Counters(context, part.uid, part.columns.length));
  }

  Counters of(String uid) {
    return counters.get(uid);
  }

  void forEach(BiConsumer<String, Counters> take) {
    counters.forEach(take);
  }

  String toJson() {
    ObjectNode json = new ObjectMapper().createObjectNode();
    counters.forEach(
        (uid, counter) -> {
          ObjectNode node = json.putObject(uid);
          node.put("stateRows", counter.stateRows.sum());
          node.put("stateBytes", counter.stateBytes.sum());
          node.put("rowsIn", counter.rowsIn.sum());
          node.put("rowsOut", counter.rowsOut.sum());
          node.put("rowsLate", counter.rowsLate.sum());
          node.put("busyNanos", counter.busyNanos.sum());
          ArrayNode inputs = node.putArray("rowsInByInput");
          for (LongAccumulator input : counter.inputs) inputs.add(input.sum());
          HotKeys hotKeys = counter.hotKeys.take();
          node.put("keyedRows", hotKeys.total());
          ObjectNode keys = node.putObject("hotKeys");
          hotKeys.value().forEach(keys::put);
        });
    return json.toString();
  }
}
