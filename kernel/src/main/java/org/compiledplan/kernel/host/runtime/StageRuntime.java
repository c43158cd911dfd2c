package org.compiledplan.kernel.host.runtime;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.unsafe.types.UTF8String;
import org.compiledplan.kernel.host.spark.Interruption;
import org.compiledplan.kernel.host.spark.SparkTypes;
import org.compiledplan.kernel.operators.Operators;
import org.compiledplan.kernel.operators.base.BatchContext;
import org.compiledplan.kernel.operators.base.KeyedState;
import org.compiledplan.kernel.operators.base.Operator;
import org.compiledplan.kernel.operators.base.OperatorSpec;
import org.compiledplan.kernel.operators.base.RowPredicate;
import org.compiledplan.kernel.operators.base.Session;
import org.compiledplan.kernel.operators.base.StateAccount;
import org.compiledplan.kernel.operators.base.TimeMath;
import org.compiledplan.kernel.operators.base.UseAges;
import org.compiledplan.kernel.values.JsonText;
import org.compiledplan.kernel.values.ValueType;

/** The operators of a stage, created once per task, and the routing of rows through them. */
public final class StageRuntime {
  /** An operator with the converters of its input and output rows. */
  public static final class Hosted {
    /** Expired state is removed late by at most its TTL divided by this. */
    private static final int TTL_DIVISOR = 16;

    private static final long FIRST_WATERMARK = 1;

    public final Operator operator;
    public final String uid;

    /** The uid as Spark's string type. */
    final UTF8String uidText;

    public final OperatorCounts counts;
    final StageMetrics.Counters counters;
    final Tap tap;
    final BusyTime time;
    final int[] columns;
    final List<SparkTypes.Reader[]> fromSpark = new ArrayList<>();
    final List<UnaryOperator<Object>> toSpark;

    /** Position of the operator's struct in the output. */
    final int outputPosition;

    /** True if its timers fire by watermark. */
    public final boolean eventTime;

    /** True if rows of a key may arrive pre-aggregated, see {@link Operator#partial}. */
    final boolean folds;

    /** Per input, the output of its late rows; null if they are only counted. */
    final Late[] late;

    public final Interruption interruption;
    private final long granularity;
    private final long watermarkDelay;

    Hosted(
        StageSpec.OperatorPart part,
        int outputPosition,
        StageMetrics.Counters counters,
        Interruption interruption,
        Function<String, RowPredicate> conditions) {
      this.interruption = interruption;
      uid = part.uid;
      uidText = UTF8String.fromString(uid);
      columns = part.columns;
      this.outputPosition = outputPosition;
      this.counters = counters;
      counts = counters.counts;
      tap = counters.tap;
      time = new BusyTime(counters.busyNanos);
      operator = Operators.create(spec(part, conditions, new StateAccount(counts.ages())));
      folds = operator.partial() != null;
      for (int i = 0; i < part.inputs.length; i++)
        fromSpark.add(SparkTypes.fromSpark(part.inputs[i]));
      toSpark = SparkTypes.toSpark(part.output);
      late = new Late[part.late.length];
      granularity = Math.max(1, part.shortestTtl / TTL_DIVISOR);
      watermarkDelay = part.watermarkDelay;
      eventTime = part.eventTime;
    }

    /**
     * The operator's watermark when the query's is {@code query}. Spark's watermark is 0 before the
     * first one, and so is that of Flink's watermark assigner, which emits only later ones: rows
     * before 1970 yield none.
     */
    public long watermark(long query) {
      return query < FIRST_WATERMARK ? Long.MIN_VALUE : TimeMath.minus(query, watermarkDelay);
    }

    /** The first watermark of the query at which the operator's reaches {@code time}. */
    public long delayed(long time) {
      return Math.max(FIRST_WATERMARK, TimeMath.plus(time, watermarkDelay));
    }

    /** Rounds a time up, so that many times yield few different ones. */
    public long roundUp(long time) {
      long rounded = Math.floorDiv(time, granularity) * granularity;
      if (rounded < time) rounded += granularity;
      return rounded < time ? time : rounded;
    }
  }

  /**
   * The output of late rows of an input.
   *
   * @param position of the struct in the output
   */
  record Late(StageSpec.LatePart part, UTF8String op, int position) {}

  final StageSpec spec;
  private final Map<String, Hosted> hosted = new HashMap<>();

  /**
   * @param conditions converts a serialized condition into a predicate
   */
  public StageRuntime(
      StageSpec spec, StageMetrics metrics, Function<String, RowPredicate> conditions) {
    this.spec = spec;
    int position = spec.head.length;
    Interruption interruption = new Interruption();
    for (StageSpec.OperatorPart part : spec.operators) {
      hosted.put(
          part.uid, new Hosted(part, position++, metrics.of(part.uid), interruption, conditions));
    }
    for (StageSpec.OperatorPart part : spec.operators) {
      Late[] late = hosted.get(part.uid).late;
      for (int i = 0; i < late.length; i++)
        if (part.late[i] != null)
          late[i] = new Late(part.late[i], UTF8String.fromString(part.late[i].op()), position++);
    }
  }

  /**
   * Creates the operator of a part of a stage's description.
   *
   * @param conditions converts a serialized condition into a predicate
   */
  public static Operator create(
      StageSpec.OperatorPart part, Function<String, RowPredicate> conditions) {
    return Operators.create(spec(part, conditions));
  }

  /** The description of an operator, as {@link #create} passes it. */
  public static OperatorSpec spec(
      StageSpec.OperatorPart part, Function<String, RowPredicate> conditions) {
    return spec(part, conditions, new StateAccount(new UseAges(part.inputs.length)));
  }

  private static OperatorSpec spec(
      StageSpec.OperatorPart part,
      Function<String, RowPredicate> conditions,
      StateAccount account) {
    ValueType[][] inputs =
        Arrays.stream(part.inputs).map(SparkTypes::fields).toArray(ValueType[][]::new);
    return new OperatorSpec(
        part.uid,
        part.type,
        part.ttl,
        part.keys,
        part.eventTime,
        JsonText.read(part.parameters),
        inputs,
        SparkTypes.fields(part.output),
        conditions,
        account);
  }

  /** The operator with the uid, null if the stage does not host it. */
  public Hosted operator(String uid) {
    return hosted.get(uid);
  }

  /** Processes the rows of one key, lazily; the state is written after the last row. */
  public Iterator<InternalRow> process(
      Hosted to, String key, Iterator<InternalRow> rows, KeyedState state, BatchContext context) {
    Iterator<InternalRow> inOrder =
        to.operator.isOrderInsensitive() ? rows : RowOrder.sorted(rows, spec.head);
    long begun = to.time.begin();
    Session session = to.operator.open(state, context);
    to.time.end(begun);
    return new OperatorRows(spec, to, key, inOrder, session, context);
  }

  /** The rows that an operator emits for a due key. */
  public Iterator<InternalRow> fire(Hosted from, KeyedState state, BatchContext context) {
    from.interruption.check();
    Emitted emitted = new Emitted(spec, from);
    long begun = from.time.begin();
    from.operator.onTimer(state, context, emitted);
    from.time.end(begun);
    emitted.count();
    return new Iterator<InternalRow>() {
      @Override
      public boolean hasNext() {
        return !emitted.isEmpty();
      }

      @Override
      public InternalRow next() {
        return emitted.take();
      }
    };
  }

  public Iterator<InternalRow> pass(Row key, Iterator<InternalRow> rows) {
    UTF8String op = UTF8String.fromString(StageKeys.op(key));
    UTF8String grouped = UTF8String.fromString(StageKeys.key(key));
    return new Iterator<InternalRow>() {
      @Override
      public boolean hasNext() {
        return rows.hasNext();
      }

      @Override
      public InternalRow next() {
        return BypassedRows.passed(spec, op, grouped, rows.next());
      }
    };
  }
}
