package org.compiledplan.kernel.operators.join;

import static org.compiledplan.kernel.operators.join.JoinInputs.LEFT;
import static org.compiledplan.kernel.operators.join.JoinInputs.RIGHT;

import java.util.List;
import java.util.OptionalLong;
import org.compiledplan.kernel.operators.base.BatchContext;
import org.compiledplan.kernel.operators.base.EntryTimes;
import org.compiledplan.kernel.operators.base.InputRow;
import org.compiledplan.kernel.operators.base.KeyState;
import org.compiledplan.kernel.operators.base.KeyedOperator;
import org.compiledplan.kernel.operators.base.KeyedState;
import org.compiledplan.kernel.operators.base.OperatorSpec;
import org.compiledplan.kernel.operators.base.Out;
import org.compiledplan.kernel.operators.base.Outcome;
import org.compiledplan.kernel.operators.base.Rowtime;
import org.compiledplan.kernel.operators.base.StateKind;
import org.compiledplan.kernel.operators.base.TimeMath;
import org.compiledplan.kernel.operators.join.IntervalCache.Cached;
import org.compiledplan.kernel.state.serialization.Columns;
import org.compiledplan.kernel.state.serialization.Fields;
import org.compiledplan.kernel.values.RowKinds;

/**
 * Joins rows whose times are close. Follows Flink's RowTimeIntervalJoin and ProcTimeIntervalJoin: a
 * row is stored until the opposite input's time has passed its interval; it is cleaned up half an
 * interval later and matches late rows until then. Unmatched rows of an outer input are padded with
 * nulls at cleanup.
 */
public final class IntervalJoin extends KeyedOperator<IntervalJoin.Caches> {

  private final JoinInputs inputs;
  private final Columns[] columns;
  private final boolean[] outer;
  private final boolean eventTime;
  private final boolean sharedWatermark;
  private final int[] time;

  /**
   * Per input, the longest time in ms after its own time at which a row matches the opposite input.
   */
  private final long[] reach;

  /** Length of the interval in ms; negative if the interval is empty. */
  private final long length;

  private final long cleanUpInterval;

  public IntervalJoin(OperatorSpec spec) {
    inputs = new JoinInputs(spec);
    columns =
        new Columns[] {
          Columns.ofInput(LEFT, spec.inputs()[LEFT]), Columns.ofInput(RIGHT, spec.inputs()[RIGHT])
        };
    define(spec, StateKind.INTERVAL_JOIN, Caches::new, Work::new);
    outer = outer(spec);
    eventTime = spec.eventTime();
    sharedWatermark = spec.flag("sharedWatermark");
    time = new int[] {spec.column("leftTime"), spec.column("rightTime")};
    reach =
        new long[] {TimeMath.minus(0, spec.number("lowerBound", 0)), spec.number("upperBound", 0)};
    length = TimeMath.plus(reach[LEFT], reach[RIGHT]);
    cleanUpInterval = Math.max(0, length / 2);
  }

  static boolean[] outer(OperatorSpec spec) {
    String type = spec.text("joinType");
    boolean[] outer = JoinInputs.outer(type);
    if (!outer[LEFT] && !outer[RIGHT] && !type.equals("INNER"))
      throw spec.problem("cannot join as " + type);
    return outer;
  }

  @Override
  protected boolean postsEntries() {
    return true;
  }

  @Override
  public void fire(Caches caches, BatchContext context, Out out) {
    long now = eventTime ? context.watermark() : context.processingTime();
    for (int port = LEFT; port <= RIGHT; port++) {
      caches.cleanUp(port, now);
      for (Cached cached : caches.of[port].takeDead()) {
        out.at(cleanAt(port, cached.time()).orElse(Long.MAX_VALUE));
        out.emit(RowKinds.INSERT, inputs.padded(port, cached.row()));
      }
    }
  }

  private final class Work extends KeyWork {
    private Caches caches;

    Work(KeyedState state, BatchContext context) {
      super(state, context);
    }

    @Override
    public Outcome process(InputRow row, Out out) {
      row.requireInsert("an interval join takes insert-only inputs");
      int port = row.port();
      if (inputs.hasNullKey(row) || length < 0) {
        if (!outer[port]) return Outcome.UNMATCHED;
        out.emit(RowKinds.INSERT, inputs.padded(port, row.values()));
        return Outcome.APPLIED;
      }
      caches = current();
      int opposite = 1 - port;
      long at = eventTime ? Rowtime.of(row.values(), time[port]) : context.processingTime();
      long now = eventTime ? watermark(row) : context.processingTime();
      caches.cleanUp(LEFT, now);
      caches.cleanUp(RIGHT, now);
      boolean matched = false;
      List<Cached> near =
          caches.of[opposite].between(
              TimeMath.minus(at, reach[opposite]), TimeMath.plus(at, reach[port]));
      for (Cached cached : near) {
        Object[] match = cached.row();
        if (!inputs.matches(port == LEFT, row.values(), match)) continue;
        matched = true;
        caches.of[opposite].match(cached);
        out.emit(RowKinds.INSERT, inputs.joined(port == LEFT, row.values(), match));
      }
      if (now > Long.MIN_VALUE) caches.of[opposite].expire(expired(opposite, now), outer[opposite]);
      if (now < TimeMath.plus(at, reach[port])) {
        caches.add(port, at, row.values(), matched);
        return matched ? Outcome.APPLIED : Outcome.HELD;
      }
      if (matched) return Outcome.APPLIED;
      if (outer[port]) out.emit(RowKinds.INSERT, inputs.padded(port, row.values()));
      return Outcome.EXPIRED;
    }

    @Override
    public void close(Out out) {
      if (caches != null && caches.isChanged()) save();
    }
  }

  /**
   * Watermark of both inputs. If the inputs share a watermark it is the row's; otherwise the row
   * carries only its own input's, and the common watermark counts after the batch's rows.
   */
  private long watermark(InputRow row) {
    return sharedWatermark ? row.watermark() : Long.MIN_VALUE;
  }

  /** Cleanup time of an input's rows with time {@code at}; empty if there is none. */
  private OptionalLong cleanAt(int port, long at) {
    return TimeMath.later(TimeMath.plus(at, reach[port]), TimeMath.plus(cleanUpInterval, 1));
  }

  /** Time up to which an input's rows can no longer match. */
  private long expired(int port, long now) {
    return TimeMath.minus(TimeMath.minus(now, reach[port]), 1);
  }

  final class Caches implements KeyState {
    final IntervalCache[] of = {
      new IntervalCache(columns[LEFT], account), new IntervalCache(columns[RIGHT], account)
    };

    @Override
    public void fields(Fields io) {
      io.part("left", of[LEFT]);
      io.part("right", of[RIGHT]);
    }

    boolean isChanged() {
      return of[LEFT].isChanged() || of[RIGHT].isChanged();
    }

    @Override
    public int entries() {
      return of[LEFT].count() + of[RIGHT].count();
    }

    @Override
    public void entryTimes(EntryTimes to) {
      for (int port = LEFT; port <= RIGHT; port++) of[port].entryTimes(port, to);
    }

    /** Rows to be padded are due after the batch's rows. */
    @Override
    public OptionalLong nextDue(BatchContext context) {
      if (!of[LEFT].hasDead() && !of[RIGHT].hasDead()) {
        return TimeMath.earlier(of[LEFT].cleanAt, of[RIGHT].cleanAt);
      }
      return OptionalLong.of(eventTime ? context.watermark() : context.processingTime());
    }

    void add(int port, long at, Object[] row, boolean matched) {
      of[port].add(at, row, matched);
      if (of[port].cleanAt.isEmpty()) of[port].cleanAt = cleanAt(port, at);
    }

    /** The action of Flink's cleanup timer. */
    void cleanUp(int port, long now) {
      if (of[port].cleanAt.isEmpty() || of[port].cleanAt.getAsLong() > now) return;
      of[port].expire(expired(port, now), outer[port]);
      OptionalLong earliest = of[port].earliest();
      of[port].cleanAt = earliest.isPresent() ? cleanAt(port, earliest.getAsLong()) : earliest;
    }
  }
}
