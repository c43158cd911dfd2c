package org.compiledplan.kernel.operators;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.compiledplan.kernel.values.ByteReader;
import org.compiledplan.kernel.values.ByteWriter;
import org.compiledplan.kernel.values.ValueCodec;
import org.compiledplan.kernel.values.ValueType;

/**
 * The rows of one input of a join for one key, each with its own time of last write.
 *
 * <p>Rows are read only when they are needed: adding to a store without a unique key appends bytes and
 * leaves what is there untouched. So a key with very many rows costs little as long as it only grows.
 */
final class RowStore {
  /** What all keys' stores of one input have in common. */
  static final class Layout {
    final ValueType[] types;
    /** Columns of the unique key; empty: at most one row, null: rows may repeat. */
    final int[] uniqueKey;
    final long ttl;

    Layout(ValueType[] types, int[] uniqueKey, long ttl) {
      this.types = types;
      this.uniqueKey = uniqueKey;
      this.ttl = ttl;
    }
  }

  private final Layout layout;
  private final long now;
  private final int storedCount;
  private final byte[] raw;
  private final int rawOffset;
  private final int rawLength;
  private long oldest;
  /** Null until the stored rows are needed one by one. */
  private List<StoredRow> rows;
  private Map<StoredRow.Bytes, List<StoredRow>> index;
  private final List<StoredRow> appended = new ArrayList<>(2);
  private int removedCount;
  private boolean changed;

  /** A store over bytes that {@link #write} wrote; none if the length is 0. */
  RowStore(Layout layout, long now, byte[] raw, int offset, int length) {
    this.layout = layout;
    this.now = now;
    this.raw = raw;
    if (length == 0) {
      storedCount = 0;
      oldest = now;
      rawOffset = 0;
      rawLength = 0;
    } else {
      ByteReader in = new ByteReader(raw, offset, length);
      storedCount = in.readVarInt();
      oldest = in.readFixedLong();
      rawOffset = in.position();
      rawLength = offset + length - rawOffset;
    }
  }

  /** The live rows, in the order they were added; some may be marked removed. */
  List<StoredRow> rows() {
    if (rows == null) {
      rows = new ArrayList<>(storedCount + appended.size());
      ByteReader in = new ByteReader(raw, rawOffset, rawLength);
      for (int i = 0; i < storedCount; i++) {
        int length = in.readVarInt();
        int at = in.position();
        in.skip(length);
        long lastWrite = in.readFixedLong();
        int associations = in.readVarInt();
        if (Ttl.isExpired(lastWrite, layout.ttl, now)) changed = true;
        else rows.add(new StoredRow(raw, at, length, lastWrite, associations));
      }
      rows.addAll(appended);
      appended.clear();
    }
    return rows;
  }

  Object[] decode(StoredRow stored) {
    return stored.row(layout.types);
  }

  /** Adds a row; with a unique key it replaces the row of that key. */
  void add(Object[] row, int associations) {
    StoredRow stored = encode(row, associations);
    changed = true;
    if (layout.uniqueKey != null) {
      StoredRow old = find(row, stored);
      if (old != null) remove(old);
    }
    if (rows == null) appended.add(stored);
    else rows.add(stored);
    if (index != null) index.computeIfAbsent(keyOf(row, stored), k -> new ArrayList<>(1)).add(stored);
    oldest = Math.min(oldest, now);
  }

  /** Removes one row equal to the given one, or the row of its unique key; nothing if there is none. */
  void retract(Object[] row) {
    StoredRow old = find(row, layout.uniqueKey == null ? encode(row, 0) : null);
    if (old != null) remove(old);
  }

  /** Writes the row anew with another number of associations. */
  void associate(StoredRow stored, int associations) {
    stored.associations = associations;
    stored.lastWrite = now;
    changed = true;
  }

  private StoredRow encode(Object[] row, int associations) {
    ByteWriter writer = new ByteWriter(16 * row.length + 16);
    ValueCodec.writeRow(row, writer);
    return new StoredRow(writer.array(), 0, writer.size(), now, associations);
  }

  private StoredRow find(Object[] row, StoredRow encoded) {
    if (layout.uniqueKey != null && layout.uniqueKey.length == 0) {
      for (StoredRow stored : rows()) {
        if (!stored.removed) return stored;
      }
      return null;
    }
    if (index == null) {
      index = new HashMap<>();
      for (StoredRow stored : rows()) {
        if (stored.removed) continue;
        Object[] values = layout.uniqueKey == null ? null : decode(stored);
        index.computeIfAbsent(keyOf(values, stored), k -> new ArrayList<>(1)).add(stored);
      }
    }
    List<StoredRow> found = index.get(keyOf(row, encoded));
    return found == null ? null : found.get(0);
  }

  private StoredRow.Bytes keyOf(Object[] row, StoredRow encoded) {
    if (layout.uniqueKey == null) return encoded.bytes();
    ByteWriter writer = new ByteWriter(32);
    for (int column : layout.uniqueKey) ValueCodec.write(row[column], writer);
    return new StoredRow.Bytes(writer.array(), 0, writer.size());
  }

  private void remove(StoredRow old) {
    old.removed = true;
    removedCount++;
    changed = true;
    if (index != null) {
      StoredRow.Bytes key = keyOf(layout.uniqueKey == null ? null : decode(old), old);
      List<StoredRow> same = index.get(key);
      same.remove(old);
      if (same.isEmpty()) index.remove(key);
    }
    // Removed rows would otherwise be passed over again and again.
    if (removedCount > 16 && removedCount > rows.size() / 2) {
      rows.removeIf(stored -> stored.removed);
      removedCount = 0;
    }
  }

  boolean isChanged() {
    return changed;
  }

  int storedCount() {
    return storedCount;
  }

  int count() {
    return rows == null ? storedCount + appended.size() : rows.size() - removedCount;
  }

  /** Time of the first expiry, never later than the true one. */
  OptionalLong nextExpiry() {
    return count() == 0 ? OptionalLong.empty() : Ttl.expiry(oldest, layout.ttl);
  }

  /** Time of the first expiry by the rows themselves. */
  OptionalLong firstExpiry() {
    oldest = now;
    for (StoredRow row : rows()) {
      if (!row.removed) oldest = Math.min(oldest, row.lastWrite);
    }
    return nextExpiry();
  }

  void write(ByteWriter out) {
    if (rows != null) firstExpiry();
    out.writeVarLong(count());
    out.writeFixedLong(oldest);
    if (rows == null) {
      out.writeBytes(raw, rawOffset, rawLength);
      for (StoredRow row : appended) write(row, out);
    } else {
      for (StoredRow row : rows) {
        if (!row.removed) write(row, out);
      }
    }
  }

  private static void write(StoredRow row, ByteWriter out) {
    out.writeVarLong(row.length);
    out.writeBytes(row.buffer(), row.offset(), row.length);
    out.writeFixedLong(row.lastWrite);
    out.writeVarLong(row.associations);
  }
}
