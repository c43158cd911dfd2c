package org.compiledplan.kernel.operators.join;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.compiledplan.kernel.operators.base.EntryTimes;
import org.compiledplan.kernel.operators.base.StateAccount;
import org.compiledplan.kernel.state.serialization.Columns;
import org.compiledplan.kernel.state.serialization.Fields;
import org.compiledplan.kernel.state.serialization.PackedRow;
import org.compiledplan.kernel.state.serialization.Stored;

/** The rows of one input of an interval join for one key, by time, with their cleanup time. */
final class IntervalCache implements Stored {
  /** A row that later rows of the opposite input may match. */
  final class Cached implements Stored {
    private long time;
    private boolean matched;

    /** True if the row can no longer match and is stored only to be padded. */
    private boolean dead;

    private PackedRow row;

    @Override
    public void fields(Fields io) {
      time = io.time("time", time);
      matched = io.flag("matched", matched);
      dead = io.flag("dead", dead);
      row = io.packedRow("row", columns, row);
    }

    long time() {
      return time;
    }

    Object[] row() {
      return row.row(columns.types());
    }

    /** Returns true if the row has matched a row of the opposite input. */
    boolean isMatched() {
      return matched;
    }
  }

  private final Columns columns;
  private final StateAccount account;

  /** Cleanup time of the rows, if there are any. */
  OptionalLong cleanAt = OptionalLong.empty();

  private final List<Cached> rows = new ArrayList<>(2);
  private boolean hasDead;
  private boolean changed;

  IntervalCache(Columns columns, StateAccount account) {
    this.columns = columns;
    this.account = account;
  }

  @Override
  public void fields(Fields io) {
    cleanAt = io.maybeTime("cleanAt", cleanAt);
    io.list("rows", rows, Cached::new);
    hasDead = rows.stream().anyMatch(cached -> cached.dead);
  }

  int count() {
    return rows.size();
  }

  /** Reports the times of all rows. */
  void entryTimes(int input, EntryTimes to) {
    for (Cached row : rows) to.entry(input, EntryTimes.NONE, row.time);
  }

  boolean isChanged() {
    return changed;
  }

  /** Returns true if there are rows to be padded at the end of the batch. */
  boolean hasDead() {
    return hasDead;
  }

  void add(long time, Object[] row, boolean matched) {
    Cached cached = new Cached();
    cached.time = time;
    cached.matched = matched;
    cached.row = PackedRow.of(row);
    rows.add(behind(time), cached);
    account.created(1);
    changed = true;
  }

  void match(Cached cached) {
    if (!cached.isMatched()) changed = true;
    cached.matched = true;
  }

  /** Live rows with a time from {@code lower} to {@code upper}, both inclusive. */
  List<Cached> between(long lower, long upper) {
    if (rows.isEmpty() || lower > upper) return List.of();
    int first = lower == Long.MIN_VALUE ? 0 : behind(lower - 1);
    List<Cached> inInterval = rows.subList(first, behind(upper));
    if (!hasDead) return inInterval;
    List<Cached> live = new ArrayList<>(inInterval);
    live.removeIf(cached -> cached.dead);
    return live;
  }

  /** Position behind the rows up to the time. */
  private int behind(long time) {
    int low = 0;
    int high = rows.size();
    if (high > 0 && rows.get(high - 1).time <= time) return high;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (rows.get(middle).time <= time) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Time of the first live row. */
  OptionalLong earliest() {
    for (Cached cached : rows) {
      if (!cached.dead) return OptionalLong.of(cached.time);
    }
    return OptionalLong.empty();
  }

  /** Ends the matching of rows up to the time; rows to be padded stay until they are taken. */
  void expire(long time, boolean padUnmatched) {
    int end = behind(time);
    if (end == 0) return;
    List<Cached> expired = rows.subList(0, end);
    int size = expired.size();
    expired.removeIf(cached -> !padUnmatched || cached.isMatched());
    account.released(size - expired.size());
    changed |= expired.size() < size;
    for (Cached cached : expired) {
      changed |= !cached.dead;
      cached.dead = true;
      hasDead = true;
    }
  }

  /** Removes and returns the rows to be padded. */
  List<Cached> takeDead() {
    if (!hasDead) return List.of();
    List<Cached> dead = new ArrayList<>();
    rows.removeIf(cached -> cached.dead && dead.add(cached));
    account.released(dead.size());
    hasDead = false;
    changed = true;
    return dead;
  }
}
