package org.compiledplan.kernel.operators;

import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/** The operators by the names of their types in a spec. */
public final class Operators {
  private static final Map<String, Function<OperatorSpec, Operator>> TYPES = new TreeMap<>();

  static {
    TYPES.put("group-aggregate", GroupAggregate::new);
    TYPES.put("join", Operators::join);
    TYPES.put("deduplicate", Operators::deduplicate);
    TYPES.put("rank", Rank::new);
    TYPES.put("limit", Rank::new);
    TYPES.put("sort-limit", Rank::new);
    TYPES.put("changelog-normalize", ChangelogNormalize::new);
    TYPES.put("sink-upsert-materializer", SinkUpsertMaterializer::new);
    TYPES.put("sink-compactor", SinkCompactor::new);
    TYPES.put("multi-join", MultiJoin::new);
    TYPES.put("window-aggregate", WindowAggregate::new);
    TYPES.put("count-window-aggregate", CountWindowAggregate::new);
    TYPES.put("session-aggregate", SessionAggregate::new);
    TYPES.put("session-rows", SessionRows::new);
    TYPES.put("window-rank", WindowRank::create);
    TYPES.put("window-deduplicate", WindowDeduplicate::create);
    TYPES.put("window-join", WindowJoin::create);
    TYPES.put("over-aggregate", Operators::over);
    TYPES.put("interval-join", IntervalJoin::new);
    TYPES.put("temporal-join", Operators::temporalJoin);
    TYPES.put("row-counter", RowCounter::new);
    TYPES.put("match", MatchRecognize::new);
    TYPES.put("temporal-sort", Operators::temporalSort);
  }

  private Operators() {}

  public static Operator create(OperatorSpec spec) {
    Function<OperatorSpec, Operator> type = TYPES.get(spec.type());
    if (type == null) throw spec.problem("is of an unknown type; known are " + TYPES.keySet());
    return type.apply(spec);
  }

  private static Operator deduplicate(OperatorSpec spec) {
    boolean waits = spec.flag("outputInsertOnly", false) && spec.has("rowtime") && !spec.flag("keepLast", true);
    return waits ? new KeepFirstInOrder(spec) : new Deduplicate(spec);
  }

  private static Operator over(OperatorSpec spec) {
    switch (spec.text("order")) {
      case "rowtime": return expiring(new RowtimeOver(spec), spec);
      case "proctime": return expiring(new ProctimeOver(spec), spec);
      case "columns": return expiring(new NonTimeOver(spec), spec);
      default: throw spec.problem("has unknown order " + spec.text("order"));
    }
  }

  private static Operator temporalJoin(OperatorSpec spec) {
    return expiring(spec.eventTime() ? new TemporalJoin(spec) : new ProctimeTemporalJoin(spec), spec);
  }

  /** An operator with its TTL; one that has none in its spec, such as a window of time, cleans up by itself. */
  private static Operator expiring(Idle operator, OperatorSpec spec) {
    return spec.get("ttl").isEmpty() ? operator : new IdleExpiry(operator, spec);
  }

  private static Operator temporalSort(OperatorSpec spec) {
    return spec.eventTime() ? new RowtimeSort(spec) : new ProctimeSort(spec);
  }

  private static Operator join(OperatorSpec spec) {
    String type = spec.text("joinType");
    return type.equals("SEMI") || type.equals("ANTI") ? new SemiAntiJoin(spec) : new Join(spec);
  }
}
