package org.compiledplan.kernel.operators.join;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.compiledplan.kernel.operators.base.EntryTimes;
import org.compiledplan.kernel.operators.base.OperatorSpec;
import org.compiledplan.kernel.operators.base.StateAccount;
import org.compiledplan.kernel.operators.base.Ttl;
import org.compiledplan.kernel.state.serialization.Columns;
import org.compiledplan.kernel.state.serialization.Fields;
import org.compiledplan.kernel.state.serialization.PackedList;
import org.compiledplan.kernel.state.serialization.PackedRow;
import org.compiledplan.kernel.state.serialization.Stored;

/**
 * The rows of one join input for one key, each with its own time of last write.
 *
 * <p>Rows are decoded on demand: adding to a store without a unique key appends bytes and does not
 * touch the existing ones. A key with very many rows stays cheap while it only grows.
 */
final class RowStore implements Stored {
  /** Settings shared by all keys' stores of one input. */
  static final class Layout {
    final int input;
    final Columns columns;

    /** Columns of the unique key; empty: at most one row; null: rows may repeat. */
    final int[] uniqueKey;

    final long ttl;
    final StateAccount account;

    Layout(OperatorSpec spec, int input, int[] uniqueKey) {
      this.input = input;
      this.columns = Columns.ofInput(input, spec.inputs()[input]);
      this.uniqueKey = uniqueKey;
      this.ttl = spec.ttl(input);
      this.account = spec.account();
    }
  }

  /** A row with its time of last write. */
  final class Entry implements Stored {
    private PackedRow packed;
    private long lastWrite;

    /** Outer and semi joins: number of matching rows on the opposite side. */
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

  /** Current time, the last write of rows added now. */
  private long now;

  /** Lower bound of the last writes; valid if there are rows. */
  private long oldest;

  /** Rows as stored, and rows added since; unused once rows are decoded. */
  private final PackedList<Entry> packed;

  /** Decoded rows; null while they are packed. */
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

  /** Starts the work at the current time {@code time}. */
  void startAt(long time) {
    now = time;
    changed = false;
    if (rows == null || count() == 0 || !Ttl.isExpired(oldest, layout.ttl, now)) return;
    changed = rows.removeIf(row -> row.removed || expires(row));
    removedCount = 0;
    index = null;
    findOldest();
  }

  /** Returns true, and posts it, if a row has expired. */
  private boolean expires(Entry row) {
    if (!Ttl.isExpired(row.lastWrite, layout.ttl, now)) return false;
    layout.account.expired(1);
    return true;
  }

  /** Packs decoded rows again. */
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

  /** Live rows in the order of insertion; some may be marked removed. */
  List<Entry> rows() {
    if (rows == null) {
      rows = packed.all();
      changed |= rows.removeIf(this::expires);
    }
    return rows;
  }

  /** Adds a row; with a unique key it replaces the row of that key. */
  void add(Object[] row, int associations) {
    replace(replacedBy(row), row, associations);
  }

  /** Adds a row in place of {@code old}, the result of {@link #replacedBy}; null for none. */
  void replace(Entry old, Object[] row, int associations) {
    oldest = count() == 0 ? now : Math.min(oldest, now);
    Entry stored = new Entry(PackedRow.of(row), associations);
    changed = true;
    layout.account.created(1);
    if (old != null) {
      use(old);
      layout.account.replaced(1);
      remove(old);
    }
    if (rows == null) packed.add(stored);
    else rows.add(stored);
    if (index != null)
      index.computeIfAbsent(keyOf(row, stored), k -> new ArrayList<>(1)).add(stored);
  }

  /** The row with the same unique key; null if there is none. */
  Entry replacedBy(Object[] row) {
    return layout.uniqueKey == null ? null : find(row, null);
  }

  /**
   * Returns true if the store contains every row that was added and not retracted: at most one per
   * unique key, and no TTL.
   */
  boolean isComplete() {
    return layout.uniqueKey != null && (layout.uniqueKey.length == 0 || layout.ttl == 0);
  }

  /**
   * Removes one row equal to {@code row}, or the row of its unique key.
   *
   * @return false if there is none
   */
  boolean retract(Object[] row) {
    Entry old = find(row, layout.uniqueKey == null ? new Entry(PackedRow.of(row), 0) : null);
    if (old == null) return false;
    use(old);
    layout.account.retracted(1);
    remove(old);
    return true;
  }

  /**
   * Posts that a row of the opposite input has matched a row, or that one of this input meets it.
   */
  void use(Entry stored) {
    layout.account.used(layout.input, now - stored.lastWrite);
  }

  /** Rewrites a row with a new number of associations. */
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
    // Otherwise every scan would skip the removed rows again.
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

  /** Reports the times of all rows. */
  void entryTimes(int input, EntryTimes to) {
    for (Entry row : rows == null ? packed.all() : rows) {
      if (!row.removed) to.entry(input, row.lastWrite, EntryTimes.NONE);
    }
  }

  /** Time of the first expiry, never later than the exact one. */
  OptionalLong nextExpiry() {
    return count() == 0 ? OptionalLong.empty() : Ttl.expiry(oldest, layout.ttl);
  }

  /** Drops expired rows and recomputes {@link #oldest} from the remaining ones. */
  void findOldest() {
    oldest = now;
    for (Entry row : rows()) {
      if (!row.removed) oldest = Math.min(oldest, row.lastWrite);
    }
  }
}
