package org.compiledplan.kernel.operators.join;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.compiledplan.kernel.operators.base.EntryTimes;
import org.compiledplan.kernel.state.serialization.Columns;
import org.compiledplan.kernel.state.serialization.Fields;
import org.compiledplan.kernel.state.serialization.PackedRow;
import org.compiledplan.kernel.state.serialization.Stored;
import org.compiledplan.kernel.values.RowKinds;

/** The versions of one row over time, each with the start of its validity. */
final class RowVersions implements Stored {
  private final class Version implements Stored {
    private long time;

    /**
     * Watermark at which rows are due that may see the version; later than its time if it arrived
     * late.
     */
    private long due;

    /** None for a deletion. */
    private PackedRow row = PackedRow.NONE;

    @Override
    public void fields(Fields io) {
      time = io.time("time", time);
      due = io.timeNear("due", time, due);
      row = io.packedRow("row", columns, row);
    }
  }

  private final Columns columns;

  /** Ordered by time, then by arrival. */
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

  /** Reports the times of all versions. */
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

  /** The row that was valid at {@code time}, as seen at the watermark; null if there was none. */
  Object[] at(long time, long watermark) {
    for (int at = behind(time) - 1; at >= 0; at--) {
      Version version = versions.get(at);
      if (version.due > watermark) continue;
      return version.row.isNone() ? null : version.row.row(columns.types());
    }
    return null;
  }

  /**
   * Drops versions that no row after the watermark sees: all up to the watermark except the last,
   * and the last as well if it is a deletion.
   */
  void forget(long watermark) {
    int past = behind(watermark);
    if (past == 0) return;
    boolean keepsLast = !versions.get(past - 1).row.isNone();
    versions.subList(0, keepsLast ? past - 1 : past).clear();
  }

  /** Watermark at which versions can be dropped. */
  OptionalLong nextForgetting() {
    int next = !versions.isEmpty() && versions.get(0).row.isNone() ? 0 : 1;
    return next < versions.size() ? OptionalLong.of(versions.get(next).time) : OptionalLong.empty();
  }
}
