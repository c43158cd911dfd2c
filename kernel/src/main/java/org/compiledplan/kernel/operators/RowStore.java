package org.compiledplan.kernel.operators;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.compiledplan.kernel.state.Columns;
import org.compiledplan.kernel.state.Fields;
import org.compiledplan.kernel.state.PackedList;
import org.compiledplan.kernel.state.PackedRow;
import org.compiledplan.kernel.state.Stored;
import org.compiledplan.kernel.values.ValueType;

/**
 * The rows of one input of a join for one key, each with its own time of last write.
 *
 * <p>Rows are read only when they are needed: adding to a store without a unique key appends bytes
 * and leaves what is there untouched. So a key with very many rows costs little as long as it only
 * grows.
 */
final class RowStore implements Stored {
  /** What all keys' stores of one input have in common. */
  static final class Layout {
    final Columns columns;

    /** Columns of the unique key; empty: at most one row, null: rows may repeat. */
    final int[] uniqueKey;

    final long ttl;

    Layout(int input, ValueType[] types, int[] uniqueKey, long ttl) {
      this.columns = Columns.ofInput(input, types);
      this.uniqueKey = uniqueKey;
      this.ttl = ttl;
    }
  }

  /** A row with the time of its last write. */
  final class Entry implements Stored {
    private PackedRow packed;
    private long lastWrite;

    /** Outer and semi joins: how many rows of the other side match. */
    int associations;

    boolean removed;

    private Entry() {}

    private Entry(PackedRow packed, int associations) {
      this.packed = packed;
      this.associations = associations;
      lastWrite = now;
    }

    @Override
    public void fields(Fields io) {
      packed = io.packedRow("row", layout.columns, packed);
      lastWrite = io.time("lastWrite", lastWrite);
      associations = (int) io.count("associations", associations);
    }

    Object[] row() {
      return packed.row(layout.columns.types());
    }
  }

  private final Layout layout;

  /** The time at which rows are added. */
  private long now;

  /** With rows: no later than the last write of any. */
  private long oldest;

  /**
   * As they were read, and those that were added since; not used once they are needed one by one.
   */
  private final PackedList<Entry> packed;

  /** Null until the rows are needed one by one. */
  private List<Entry> rows;

  private Map<PackedRow, List<Entry>> index;
  private int removedCount;
  private boolean changed;

  RowStore(Layout layout) {
    this.layout = layout;
    packed = new PackedList<>(Entry::new);
  }

  @Override
  public void fields(Fields io) {
    repack();
    OptionalLong first = count() == 0 ? OptionalLong.empty() : OptionalLong.of(oldest);
    oldest = io.maybeTime("oldest", first).orElse(0);
    io.packedList("rows", packed);
  }

  /** Begins work at a time. */
  void startAt(long time) {
    now = time;
    changed = false;
    if (rows == null || count() == 0 || !Ttl.isExpired(oldest, layout.ttl, now)) return;
    changed = rows.removeIf(row -> row.removed || Ttl.isExpired(row.lastWrite, layout.ttl, now));
    removedCount = 0;
    index = null;
    findOldest();
  }

  /** Puts the rows back to where they are read from and written to. */
  private void repack() {
    if (rows == null) return;
    findOldest();
    packed.clear();
    for (Entry row : rows) {
      if (!row.removed) packed.add(row);
    }
    rows = null;
    index = null;
    removedCount = 0;
  }

  /** The live rows, in the order they were added; some may be marked removed. */
  List<Entry> rows() {
    if (rows == null) {
      rows = packed.all();
      changed |= rows.removeIf(row -> Ttl.isExpired(row.lastWrite, layout.ttl, now));
    }
    return rows;
  }

  /** Adds a row; with a unique key it replaces the row of that key. */
  void add(Object[] row, int associations) {
    replace(replacedBy(row), row, associations);
  }

  /** Adds a row in place of the one that {@link #replacedBy} gave for it, if any. */
  void replace(Entry old, Object[] row, int associations) {
    oldest = count() == 0 ? now : Math.min(oldest, now);
    Entry stored = new Entry(PackedRow.of(row), associations);
    changed = true;
    if (old != null) remove(old);
    if (rows == null) packed.add(stored);
    else rows.add(stored);
    if (index != null)
      index.computeIfAbsent(keyOf(row, stored), k -> new ArrayList<>(1)).add(stored);
  }

  /** The row of the same unique key; null if there is none. */
  Entry replacedBy(Object[] row) {
    return layout.uniqueKey == null ? null : find(row, null);
  }

  /** Whether every row that was added and not taken back is here: one a key, and none expires. */
  boolean isComplete() {
    return layout.uniqueKey != null && (layout.uniqueKey.length == 0 || layout.ttl == 0);
  }

  /**
   * Removes one row equal to the given one, or the row of its unique key; nothing if there is none.
   */
  void retract(Object[] row) {
    Entry old = find(row, layout.uniqueKey == null ? new Entry(PackedRow.of(row), 0) : null);
    if (old != null) remove(old);
  }

  /** Writes the row anew with another number of associations. */
  void associate(Entry stored, int associations) {
    stored.associations = associations;
    stored.lastWrite = now;
    changed = true;
  }

  private Entry find(Object[] row, Entry encoded) {
    if (layout.uniqueKey != null && layout.uniqueKey.length == 0) {
      for (Entry stored : rows()) {
        if (!stored.removed) return stored;
      }
      return null;
    }
    if (index == null) {
      index = new HashMap<>();
      for (Entry stored : rows()) {
        if (stored.removed) continue;
        Object[] values = layout.uniqueKey == null ? null : stored.row();
        index.computeIfAbsent(keyOf(values, stored), k -> new ArrayList<>(1)).add(stored);
      }
    }
    List<Entry> entries = index.get(keyOf(row, encoded));
    return entries == null ? null : entries.get(0);
  }

  private PackedRow keyOf(Object[] row, Entry encoded) {
    return layout.uniqueKey == null ? encoded.packed : PackedRow.of(row, layout.uniqueKey);
  }

  private void remove(Entry old) {
    old.removed = true;
    removedCount++;
    changed = true;
    if (index != null) {
      PackedRow key = keyOf(layout.uniqueKey == null ? null : old.row(), old);
      List<Entry> same = index.get(key);
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

  int count() {
    return rows == null ? packed.size() : rows.size() - removedCount;
  }

  /** Tells of its rows, which are those of an input. */
  void entryTimes(int input, EntryTimes to) {
    for (Entry row : rows == null ? packed.all() : rows) {
      if (!row.removed) to.entry(input, row.lastWrite, EntryTimes.NONE);
    }
  }

  /** Time of the first expiry, never later than the true one. */
  OptionalLong nextExpiry() {
    return count() == 0 ? OptionalLong.empty() : Ttl.expiry(oldest, layout.ttl);
  }

  /** Drops what has expired, and finds the time of the first expiry by the rows themselves. */
  void findOldest() {
    oldest = now;
    for (Entry row : rows()) {
      if (!row.removed) oldest = Math.min(oldest, row.lastWrite);
    }
  }
}
