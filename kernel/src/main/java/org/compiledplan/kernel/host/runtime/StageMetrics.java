package org.compiledplan.kernel.host.runtime;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.Serializable;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import org.apache.spark.SparkContext;
import org.apache.spark.util.LongAccumulator;
import org.compiledplan.kernel.operators.base.Outcome;

/**
 * Counters of a stage's operators: rows and state entries, time, and the busiest keys. A retried
 * task counts once, except for time and keys, see {@link Recounts}.
 */
public final class StageMetrics implements Serializable {
  public static final class Counters implements Serializable {
    public final OperatorCounts counts;
    final LongAccumulator busyNanos;
    final HotKeys hotKeys = new HotKeys();

    /** Copies emitted rows of the next micro-batches; null while none are requested. */
    Tap tap;

    Counters(SparkContext context, String uid, int inputs) {
      counts = new OperatorCounts(inputs);
      context.register(counts, uid + ".counts");
      Recounts.of(context).watch(counts);
      busyNanos = context.longAccumulator(uid + ".busyNanos");
      // Without a name, which would show the keys in Spark's UI.
      context.register(hotKeys);
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
    return counters.values().stream().mapToLong(counter -> counter.counts.of(Outcome.LATE)).sum();
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
          recounts.settled(counter.counts).describe(node);
          node.put("busyNanos", counter.busyNanos.sum());
          HotKeys hotKeys = counter.hotKeys.take();
          node.put("keyedRows", hotKeys.total());
          ObjectNode keys = node.putObject("hotKeys");
          hotKeys.value().forEach(keys::put);
        });
    return json.toString();
  }
}
