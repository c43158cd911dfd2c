package org.compiledplan.kernel.operators;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.compiledplan.kernel.values.ByteReader;
import org.compiledplan.kernel.values.ByteWriter;
import org.compiledplan.kernel.values.ValueCodec;
import org.compiledplan.kernel.values.ValueType;

/** The versions of one row over time, each with the time from which on it holds. */
final class RowVersions {
  private static final class Version {
    final long time;
    /** The watermark at which rows are due that may see it: later than its time if it came late. */
    final long due;
    final boolean deleted;
    private final byte[] buffer;
    private final int offset;
    private final int length;
    private Object[] row;

    Version(long time, long due, boolean deleted, byte[] buffer, int offset, int length) {
      this.time = time;
      this.due = due;
      this.deleted = deleted;
      this.buffer = buffer;
      this.offset = offset;
      this.length = length;
    }
  }

  private final ValueType[] types;
  /** By time, those of one time in the order in which they came. */
  private final List<Version> versions = new ArrayList<>();

  RowVersions(ValueType[] types) {
    this.types = types;
  }

  /** The versions that {@link #write} wrote. */
  RowVersions(ValueType[] types, ByteReader in) {
    this.types = types;
    for (int left = in.readVarInt(); left > 0; left--) {
      long time = in.readSigned();
      long late = in.readVarLong();
      int length = in.readVarInt();
      versions.add(new Version(time, time + (late >>> 1), (late & 1) != 0, in.array(), in.position(), length));
      in.skip(length);
    }
  }

  void write(ByteWriter out) {
    out.writeVarLong(versions.size());
    for (Version version : versions) {
      out.writeSigned(version.time);
      out.writeVarLong((version.due - version.time) << 1 | (version.deleted ? 1 : 0));
      out.writeVarLong(version.length);
      out.writeBytes(version.buffer, version.offset, version.length);
    }
  }

  int count() {
    return versions.size();
  }

  void add(long time, long due, byte kind, Object[] row) {
    ByteWriter writer = new ByteWriter(64);
    boolean deleted = !RowKinds.isAdd(kind);
    if (!deleted) ValueCodec.writeRow(row, writer);
    versions.add(behind(time), new Version(time, due, deleted, writer.array(), 0, writer.size()));
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
      if (version.deleted) return null;
      if (version.row == null) {
        version.row = ValueCodec.readRow(new ByteReader(version.buffer, version.offset, version.length), types);
      }
      return version.row;
    }
    return null;
  }

  /** Drops what no row after the watermark sees: all versions up to it but the last, and that if it is a deletion. */
  void forget(long watermark) {
    int past = behind(watermark);
    if (past == 0) return;
    boolean keepsLast = !versions.get(past - 1).deleted;
    versions.subList(0, keepsLast ? past - 1 : past).clear();
  }

  /** The watermark at which there is something to forget. */
  OptionalLong nextForgetting() {
    int next = !versions.isEmpty() && versions.get(0).deleted ? 0 : 1;
    return next < versions.size() ? OptionalLong.of(versions.get(next).time) : OptionalLong.empty();
  }
}
