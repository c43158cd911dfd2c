package org.compiledplan.kernel.host.runtime;

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
 * entries and of their bytes, time, and the busiest keys. A retried task counts once, except for
 * time and keys, see {@link Recounts}.
 */
public final class StageMetrics implements Serializable {
  public static final class Counters implements Serializable {
    public final LongAccumulator stateRows;
    public final LongAccumulator stateBytes;
    public final LongAccumulator rowsIn;
    public final LongAccumulator rowsOut;
    final LongAccumulator rowsLate;
    final LongAccumulator busyNanos;

    /** Rows in by input. */
    final LongAccumulator[] inputs;

    final HotKeys hotKeys = new HotKeys();

    /** Copies emitted rows of the next micro-batches; null while none are requested. */
    Tap tap;

    Counters(SparkContext context, String uid, int ports) {
      stateRows = counter(context, uid + ".stateRows");
      stateBytes = counter(context, uid + ".stateBytes");
      rowsIn = counter(context, uid + ".rowsIn");
      rowsOut = counter(context, uid + ".rowsOut");
      rowsLate = counter(context, uid + ".rowsLate");
      busyNanos = context.longAccumulator(uid + ".busyNanos");
      inputs = new LongAccumulator[ports];
      for (int port = 0; port < ports; port++)
        inputs[port] = counter(context, uid + ".rowsIn." + port);
      // Without a name, which would show the keys in Spark's UI.
      context.register(hotKeys);
    }

    private static LongAccumulator counter(SparkContext context, String name) {
      LongAccumulator counter = context.longAccumulator(name);
      Recounts.of(context).watch(counter);
      return counter;
    }
  }

  private final Map<String, Counters> counters = new LinkedHashMap<>();

  /** Null in tasks, which only count. */
  private final transient SparkContext context;

  public StageMetrics(SparkContext context, StageSpec spec) {
    this.context = context;
    for (StageSpec.OperatorPart part : spec.operators)
      counters.put(part.uid, new Counters(context, part.uid, part.columns.length));
  }

  Counters of(String uid) {
    return counters.get(uid);
  }

  public void forEach(BiConsumer<String, Counters> take) {
    counters.forEach(take);
  }

  /** Rows that came late for any operator, also in retried tasks. */
  public long late() {
    return counters.values().stream().mapToLong(counter -> counter.rowsLate.sum()).sum();
  }

  /** The counters without those of retried tasks. */
  public Recounts settled() {
    Recounts recounts = Recounts.of(context);
    recounts.settle(context);
    return recounts;
  }

  String toJson() {
    Recounts recounts = settled();
    ObjectNode json = new ObjectMapper().createObjectNode();
    counters.forEach(
        (uid, counter) -> {
          ObjectNode node = json.putObject(uid);
          node.put("stateRows", recounts.count(counter.stateRows));
          node.put("stateBytes", recounts.count(counter.stateBytes));
          node.put("rowsIn", recounts.count(counter.rowsIn));
          node.put("rowsOut", recounts.count(counter.rowsOut));
          node.put("rowsLate", recounts.count(counter.rowsLate));
          node.put("busyNanos", counter.busyNanos.sum());
          ArrayNode inputs = node.putArray("rowsInByInput");
          for (LongAccumulator input : counter.inputs) inputs.add(recounts.count(input));
          HotKeys hotKeys = counter.hotKeys.take();
          node.put("keyedRows", hotKeys.total());
          ObjectNode keys = node.putObject("hotKeys");
          hotKeys.value().forEach(keys::put);
        });
    return json.toString();
  }
}
