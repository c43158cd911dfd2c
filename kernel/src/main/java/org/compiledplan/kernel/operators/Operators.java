package org.compiledplan.kernel.operators;

import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.compiledplan.kernel.operators.aggregate.GroupAggregate;
import org.compiledplan.kernel.operators.base.IdleExpiry;
import org.compiledplan.kernel.operators.base.Operator;
import org.compiledplan.kernel.operators.base.OperatorSpec;
import org.compiledplan.kernel.operators.changelog.ChangelogNormalize;
import org.compiledplan.kernel.operators.changelog.SinkCompactor;
import org.compiledplan.kernel.operators.changelog.SinkUpsertMaterializer;
import org.compiledplan.kernel.operators.join.IntervalJoin;
import org.compiledplan.kernel.operators.join.Join;
import org.compiledplan.kernel.operators.join.LookupMaterializer;
import org.compiledplan.kernel.operators.join.MultiJoin;
import org.compiledplan.kernel.operators.join.ProctimeTemporalJoin;
import org.compiledplan.kernel.operators.join.SemiAntiJoin;
import org.compiledplan.kernel.operators.join.TemporalJoin;
import org.compiledplan.kernel.operators.match.MatchRecognize;
import org.compiledplan.kernel.operators.over.ColumnOver;
import org.compiledplan.kernel.operators.over.ProctimeOver;
import org.compiledplan.kernel.operators.over.RowtimeOver;
import org.compiledplan.kernel.operators.rank.Deduplicate;
import org.compiledplan.kernel.operators.rank.KeepFirstInOrder;
import org.compiledplan.kernel.operators.rank.Rank;
import org.compiledplan.kernel.operators.rank.RowCounter;
import org.compiledplan.kernel.operators.sort.ProctimeSort;
import org.compiledplan.kernel.operators.sort.RowtimeSort;
import org.compiledplan.kernel.operators.window.CountWindowAggregate;
import org.compiledplan.kernel.operators.window.SessionAggregate;
import org.compiledplan.kernel.operators.window.SessionRows;
import org.compiledplan.kernel.operators.window.WindowAggregate;
import org.compiledplan.kernel.operators.window.WindowDeduplicate;
import org.compiledplan.kernel.operators.window.WindowJoin;
import org.compiledplan.kernel.operators.window.WindowRank;

/** Registry of the operators by their type names in a spec. */
public final class Operators {
  private static final Map<String, Function<OperatorSpec, Operator>> TYPES = new TreeMap<>();

  static {
    TYPES.put("group-aggregate", GroupAggregate::new);
    TYPES.put("join", Operators::join);
    TYPES.put("deduplicate", Deduplicate::new);
    TYPES.put("keep-first-in-order", KeepFirstInOrder::new);
    TYPES.put("rank", Rank::new);
    TYPES.put("changelog-normalize", ChangelogNormalize::new);
    TYPES.put("sink-upsert-materializer", SinkUpsertMaterializer::new);
    TYPES.put("lookup-materializer", LookupMaterializer::new);
    TYPES.put("sink-compactor", SinkCompactor::new);
    TYPES.put("multi-join", MultiJoin::new);
    TYPES.put("window-aggregate", WindowAggregate::new);
    TYPES.put("count-window-aggregate", CountWindowAggregate::new);
    TYPES.put("session-aggregate", SessionAggregate::create);
    TYPES.put("session-rows", SessionRows::create);
    TYPES.put("window-rank", WindowRank::create);
    TYPES.put("window-deduplicate", WindowDeduplicate::create);
    TYPES.put("window-join", WindowJoin::create);
    TYPES.put("rowtime-over", spec -> new IdleExpiry(new RowtimeOver(spec), spec));
    TYPES.put("proctime-over", spec -> new IdleExpiry(new ProctimeOver(spec), spec));
    TYPES.put("column-over", spec -> new IdleExpiry(new ColumnOver(spec), spec));
    TYPES.put("interval-join", IntervalJoin::new);
    TYPES.put("temporal-join", spec -> new IdleExpiry(new TemporalJoin(spec), spec));
    TYPES.put(
        "proctime-temporal-join", spec -> new IdleExpiry(new ProctimeTemporalJoin(spec), spec));
    TYPES.put("row-counter", RowCounter::new);
    TYPES.put("match-recognize", MatchRecognize::new);
    TYPES.put("rowtime-sort", RowtimeSort::new);
    TYPES.put("proctime-sort", ProctimeSort::new);
  }

  private Operators() {}

  /**
   * Creates the operator of a spec.
   *
   * @throws IllegalArgumentException if the type is unknown, or the spec's parameters are not those
   *     that the type reads
   */
  public static Operator create(OperatorSpec spec) {
    Function<OperatorSpec, Operator> type = TYPES.get(spec.type());
    if (type == null) throw spec.problem("is of an unknown type; known are " + TYPES.keySet());
    Operator operator = type.apply(spec);
    spec.finish();
    return operator;
  }

  private static Operator join(OperatorSpec spec) {
    String type = spec.text("joinType");
    return type.equals("SEMI") || type.equals("ANTI") ? new SemiAntiJoin(spec) : new Join(spec);
  }
}
