package org.compiledplan.kernel.operators.rank;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import org.compiledplan.kernel.operators.base.BatchContext;
import org.compiledplan.kernel.operators.base.EntryTimes;
import org.compiledplan.kernel.operators.base.InputRow;
import org.compiledplan.kernel.operators.base.KeyState;
import org.compiledplan.kernel.operators.base.KeyedOperator;
import org.compiledplan.kernel.operators.base.KeyedState;
import org.compiledplan.kernel.operators.base.OperatorSpec;
import org.compiledplan.kernel.operators.base.Out;
import org.compiledplan.kernel.operators.base.Outcome;
import org.compiledplan.kernel.operators.base.SortOrder;
import org.compiledplan.kernel.operators.base.StateKind;
import org.compiledplan.kernel.operators.base.Ttl;
import org.compiledplan.kernel.state.serialization.Columns;
import org.compiledplan.kernel.state.serialization.Fields;
import org.compiledplan.kernel.state.serialization.Stored;
import org.compiledplan.kernel.values.RowKinds;
import org.compiledplan.kernel.values.Values;

/**
 * Top-n of a key by ROW_NUMBER, LIMIT and ORDER BY with LIMIT. One algorithm for Flink's
 * AppendOnlyTopNFunction, UpdatableTopNFunction and RetractableTopNFunction: the rows are stored in
 * order, and the change of the window from rank {@code start} to rank {@code end} is emitted. Equal
 * rows rank by arrival. Without retractions rows beyond {@code end} are dropped.
 *
 * <p>With the row number as output each changed rank emits {@code -U/+U}, a new last rank {@code
 * +I}, a lost one {@code -D}. Without it rows that leave emit {@code -D}, rows that enter {@code
 * +I}, and with the update strategy a row that stays in the window emits {@code -U/+U}.
 */
public final class Rank extends KeyedOperator<Rank.Ranking> {
  private final Columns columns;
  private final SortOrder order;
  private final boolean retracts;

  /** Columns that identify a row updated in place; null with other strategies. */
  private final int[] primaryKey;

  private final long start;
  private final long end;
  private final int endColumn;
  private final boolean outputRowNumber;
  private final boolean generateUpdateBefore;
  private final long ttl;

  public Rank(OperatorSpec spec) {
    columns = Columns.ofInput(0, spec.inputs()[0]);
    order = new SortOrder(spec.get("orderBy"));
    String strategy = spec.text("strategy");
    retracts = strategy.equals("retract");
    int[] primaryKeys = spec.columns("primaryKeys");
    primaryKey = strategy.equals("update") ? primaryKeys : null;
    start = spec.number("start", 1);
    end = spec.number("end", Long.MAX_VALUE);
    endColumn = spec.column("endColumn");
    outputRowNumber = spec.flag("outputRowNumber");
    generateUpdateBefore = spec.flag("generateUpdateBefore");
    ttl = spec.ttl(0);
    define(spec, StateKind.RANK, Ranking::new, Work::new);
  }

  @Override
  protected boolean postsEntries() {
    return true;
  }

  @Override
  public void onTimer(KeyedState state, BatchContext context, Out out) {
    if (state.isThere()) new Work(state, context).saveRanking();
  }

  /** A row in the order, with its time of last write. */
  private final class Ranked implements Stored {
    private Object[] row;
    private long lastWrite;

    @Override
    public void fields(Fields io) {
      lastWrite = io.time("lastWrite", lastWrite);
      row = io.row("row", columns, row);
    }
  }

  final class Ranking implements KeyState {
    /** Last rank of the window if it is read from the first row of the key; otherwise -1. */
    private long last = -1;

    private final List<Ranked> rows = new ArrayList<>();

    @Override
    public void fields(Fields io) {
      last = io.number("last", last);
      io.list("rows", rows, Ranked::new);
    }

    @Override
    public boolean isReusable() {
      return true;
    }

    @Override
    public OptionalLong nextDue(BatchContext context) {
      long oldest = context.processingTime();
      for (Ranked ranked : rows) oldest = Math.min(oldest, ranked.lastWrite);
      return Ttl.expiry(oldest, ttl);
    }

    @Override
    public int entries() {
      return rows.size();
    }

    @Override
    public void entryTimes(EntryTimes to) {
      for (Ranked ranked : rows) to.entry(0, ranked.lastWrite, EntryTimes.NONE);
    }
  }

  private final class Work extends KeyWork {
    private final Ranking ranking;
    private final List<Ranked> rows;

    /** Last rank of the window: constant, or read from the first row of the key. */
    private long last = endColumn < 0 ? end : -1;

    Work(KeyedState state, BatchContext context) {
      super(state, context);
      ranking = current();
      rows = ranking.rows;
      long now = context.processingTime();
      int before = rows.size();
      changed = rows.removeIf(ranked -> Ttl.isExpired(ranked.lastWrite, ttl, now));
      account.expired(before - rows.size());
      if (endColumn >= 0 && !rows.isEmpty()) last = ranking.last;
    }

    @Override
    public Outcome process(InputRow row, Out out) {
      if (!RowKinds.isAdd(row.kind())) return retract(row.values(), out);
      if (last < 0) last = ((Number) row.values()[endColumn]).longValue();
      return add(row.values(), out);
    }

    private Outcome add(Object[] row, Out out) {
      int old = primaryKey == null ? -1 : indexOfKey(row);
      int position = insertionPoint(row);
      if (old >= 0) {
        if (order.compare(rows.get(old).row, row) == 0) position = old;
        else if (position > old) position--;
      }
      if (old < 0 && !retracts && position >= last) {
        // A window without ranks outranks all rows, stored or not.
        if (last > 0) use(rows.get((int) last - 1));
        return Outcome.OUTRANKED;
      }
      int from = old < 0 ? position : Math.min(old, position);
      List<Ranked> before = window(from);
      Ranked added = new Ranked();
      added.row = row;
      added.lastWrite = context.processingTime();
      Ranked removed = old < 0 ? null : rows.remove(old);
      rows.add(position, added);
      account.created(1);
      if (removed != null) replaced(removed);
      if (!retracts && rows.size() > last) {
        replaced(rows.remove(rows.size() - 1));
      }
      changed = true;
      emit(before, from, removed, added, out);
      return Outcome.APPLIED;
    }

    private void replaced(Ranked ranked) {
      use(ranked);
      account.replaced(1);
    }

    private void use(Ranked ranked) {
      account.used(0, context.processingTime() - ranked.lastWrite);
    }

    private Outcome retract(Object[] row, Out out) {
      int index = primaryKey == null ? indexOf(row) : indexOfKey(row);
      if (index < 0) return Outcome.ABSENT;
      List<Ranked> before = window(index);
      use(rows.remove(index));
      account.retracted(1);
      changed = true;
      emit(before, index, null, null, out);
      return Outcome.APPLIED;
    }

    /** Insertion point of a row: behind all rows that are not greater. */
    private int insertionPoint(Object[] row) {
      int low = 0;
      int high = rows.size();
      while (low < high) {
        int middle = (low + high) >>> 1;
        if (order.compare(rows.get(middle).row, row) <= 0) low = middle + 1;
        else high = middle;
      }
      return low;
    }

    private int indexOf(Object[] row) {
      int first = -1;
      for (int i = insertionPoint(row) - 1; i >= 0; i--) {
        if (order.compare(rows.get(i).row, row) != 0) break;
        if (Values.equalRows(rows.get(i).row, row)) first = i;
      }
      return first;
    }

    private int indexOfKey(Object[] row) {
      for (int i = 0; i < rows.size(); i++) {
        if (Values.equalFields(rows.get(i).row, row, primaryKey)) return i;
      }
      return -1;
    }

    /** Rows of the window from a position on. */
    private List<Ranked> window(int position) {
      int from = (int) Math.max(position, start - 1);
      int to = (int) Math.min(rows.size(), last);
      return from >= to ? List.of() : new ArrayList<>(rows.subList(from, to));
    }

    private void emit(List<Ranked> before, int position, Ranked removed, Ranked added, Out out) {
      List<Ranked> after = window(position);
      if (outputRowNumber) emitRanks(before, after, Math.max(position, start - 1) + 1, out);
      else emitRows(before, after, removed, added, out);
    }

    private void emitRanks(List<Ranked> before, List<Ranked> after, long firstRank, Out out) {
      for (int i = 0; i < Math.max(before.size(), after.size()); i++) {
        Object[] old = i < before.size() ? before.get(i).row : null;
        Object[] next = i < after.size() ? after.get(i).row : null;
        long rank = firstRank + i;
        if (old == null) {
          out.emit(RowKinds.INSERT, numbered(next, rank));
        } else if (next == null) {
          out.emit(RowKinds.DELETE, numbered(old, rank));
        } else if (!Values.equalRows(old, next)) {
          if (generateUpdateBefore) out.emit(RowKinds.UPDATE_BEFORE, numbered(old, rank));
          out.emit(RowKinds.UPDATE_AFTER, numbered(next, rank));
        }
      }
    }

    private Object[] numbered(Object[] row, long rank) {
      Object[] longer = Arrays.copyOf(row, row.length + 1);
      longer[row.length] = rank;
      return longer;
    }

    private void emitRows(
        List<Ranked> before, List<Ranked> after, Ranked removed, Ranked added, Out out) {
      Set<Ranked> old = identities(before);
      Set<Ranked> next = identities(after);
      boolean updated = removed != null && old.contains(removed) && next.contains(added);
      for (Ranked left : before) {
        if (!next.contains(left) && !(updated && left == removed))
          out.emit(RowKinds.DELETE, left.row);
      }
      if (updated && !Values.equalRows(removed.row, added.row)) {
        if (generateUpdateBefore) out.emit(RowKinds.UPDATE_BEFORE, removed.row);
        out.emit(RowKinds.UPDATE_AFTER, added.row);
      }
      for (Ranked entered : after) {
        if (!old.contains(entered) && !(updated && entered == added))
          out.emit(RowKinds.INSERT, entered.row);
      }
    }

    /** The rows as an identity set: Ranked does not define equality. */
    private Set<Ranked> identities(List<Ranked> list) {
      return new HashSet<>(list);
    }

    @Override
    public void close(Out out) {
      if (changed) saveRanking();
    }

    void saveRanking() {
      if (endColumn >= 0) ranking.last = last;
      save();
    }
  }
}
