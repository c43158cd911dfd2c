package org.compiledplan.kernel.operators;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.compiledplan.kernel.state.Columns;
import org.compiledplan.kernel.state.Fields;
import org.compiledplan.kernel.state.PackedRow;
import org.compiledplan.kernel.state.Stored;

/** The versions of one row over time, each with the time from which on it holds. */
final class RowVersions implements Stored {
  private final class Version implements Stored {
    private long time;

    /** The watermark at which rows are due that may see it: later than its time if it came late. */
    private long due;

    /** None if the row was deleted. */
    private PackedRow row = PackedRow.NONE;

    @Override
    public void fields(Fields io) {
      time = io.time("time", time);
      due = io.timeNear("due", time, due);
      row = io.packedRow("row", columns, row);
    }
  }

  private final Columns columns;

  /** By time, those of one time in the order in which they came. */
  private final List<Version> versions = new ArrayList<>();

  RowVersions(Columns columns) {
    this.columns = columns;
  }

  @Override
  public void fields(Fields io) {
    io.list("versions", versions, Version::new);
  }

  int count() {
    return versions.size();
  }

  /** Tells of the versions, which are those of an input. */
  void entryTimes(int input, EntryTimes to) {
    for (Version version : versions) to.entry(input, EntryTimes.NONE, version.time);
  }

  void add(long time, long due, byte kind, Object[] row) {
    Version version = new Version();
    version.time = time;
    version.due = due;
    if (RowKinds.isAdd(kind)) version.row = PackedRow.of(row);
    versions.add(behind(time), version);
  }

  private int behind(long time) {
    int at = versions.size();
    while (at > 0 && versions.get(at - 1).time > time) at--;
    return at;
  }

  /** The row that held at a time, for one who asks at the watermark; null if there was none. */
  Object[] at(long time, long watermark) {
    for (int at = behind(time) - 1; at >= 0; at--) {
      Version version = versions.get(at);
      if (version.due > watermark) continue;
      return version.row.isNone() ? null : version.row.row(columns.types());
    }
    return null;
  }

  /**
   * Drops what no row after the watermark sees: all versions up to it but the last, and that if it
   * is a deletion.
   */
  void forget(long watermark) {
    int past = behind(watermark);
    if (past == 0) return;
    boolean keepsLast = !versions.get(past - 1).row.isNone();
    versions.subList(0, keepsLast ? past - 1 : past).clear();
  }

  /** The watermark at which there is something to forget. */
  OptionalLong nextForgetting() {
    int next = !versions.isEmpty() && versions.get(0).row.isNone() ? 0 : 1;
    return next < versions.size() ? OptionalLong.of(versions.get(next).time) : OptionalLong.empty();
  }
}
