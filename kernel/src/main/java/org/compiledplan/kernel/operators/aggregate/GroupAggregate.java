package org.compiledplan.kernel.operators.aggregate;

import org.compiledplan.kernel.operators.base.BatchContext;
import org.compiledplan.kernel.operators.base.EntryOperator;
import org.compiledplan.kernel.operators.base.InputRow;
import org.compiledplan.kernel.operators.base.KeyedState;
import org.compiledplan.kernel.operators.base.OperatorSpec;
import org.compiledplan.kernel.operators.base.Out;
import org.compiledplan.kernel.operators.base.Outcome;
import org.compiledplan.kernel.operators.base.Partial;
import org.compiledplan.kernel.operators.base.SingleEntry;
import org.compiledplan.kernel.operators.base.StateKind;
import org.compiledplan.kernel.state.serialization.Columns;
import org.compiledplan.kernel.state.serialization.Fields;
import org.compiledplan.kernel.state.serialization.PackedRow;
import org.compiledplan.kernel.values.RowKinds;
import org.compiledplan.kernel.values.Values;

/**
 * Aggregates by key, without windows. Follows Flink's GroupAggFunction, and
 * MiniBatchGroupAggFunction when changes are coalesced: one net change per key and micro-batch.
 *
 * <p>A retraction for a key without state is ignored. A group that empties emits {@code -D}. An
 * update that changes nothing is suppressed, unless there is a TTL: then consumers need it to
 * refresh their own TTL.
 */
public final class GroupAggregate extends EntryOperator<GroupAggregate.Group> {
  private final int[] grouping;
  private final AggregateCalls calls;
  private final boolean generateUpdateBefore;
  private final boolean needRetraction;
  private final boolean coalesce;
  private final long ttl;
  private final Columns groupColumns;
  private final boolean orderInsensitive;

  public GroupAggregate(OperatorSpec spec) {
    grouping = spec.columns("grouping");
    generateUpdateBefore = spec.flag("generateUpdateBefore");
    needRetraction = spec.flag("needRetraction");
    coalesce = spec.flag("coalesce");
    ttl = spec.ttl(0);
    calls = new AggregateCalls(spec, grouping.length, needRetraction);
    groupColumns = Columns.ofInput(0, spec.inputs()[0], grouping);
    define(spec, StateKind.GROUP_AGGREGATE, Group::new, Work::new);
    orderInsensitive = coalesce && !needRetraction && !calls.isOrderSensitive();
  }

  @Override
  public boolean isOrderInsensitive() {
    return orderInsensitive;
  }

  @Override
  public Partial partial() {
    return orderInsensitive ? new Accumulated(calls) : null;
  }

  /** The rows of a non-empty group and its grouping values. */
  final class Group extends SingleEntry {
    private PackedRow key = PackedRow.NONE;
    private Accumulated rows = new Accumulated(calls);

    Group() {
      super(ttl);
    }

    @Override
    public boolean isReusable() {
      return true;
    }

    @Override
    public void content(Fields io) {
      key = io.packedRow("key", groupColumns, key);
      rows.fields(io);
    }
  }

  private final class Work extends EntryWork {
    private Object[] emitted;
    private Object[] lastRow;

    Work(KeyedState state, BatchContext context) {
      super(state, context);
    }

    @Override
    public Outcome process(InputRow row, Out out) {
      boolean add = RowKinds.isAdd(row.kind());
      if (entry == null && !add) return Outcome.ABSENT;
      if (lastRow == null && entry != null) emitted = result(row.values());
      lastRow = row.values();
      if (entry == null) {
        entry = format.fresh();
        entry.key = PackedRow.of(row.values(), grouping);
      } else {
        renewed(1);
      }
      entry.rows.process(row.values(), add);
      if (needRetraction && entry.rows.rows() == 0) entry = null;
      if (!coalesce) emitChange(out);
      return Outcome.APPLIED;
    }

    @Override
    public long merge(InputRow row, byte[] partial, Out out, Outcome.Counts outcomes) {
      Accumulated more = Accumulated.of(calls, partial);
      if (lastRow == null && entry != null) emitted = result(row.values());
      lastRow = row.values();
      if (entry == null) {
        entry = format.fresh();
        entry.key = PackedRow.of(row.values(), grouping);
        entry.rows = more;
        renewed(more.rows() - 1);
      } else {
        renewed(more.rows());
        entry.rows.merge(more);
      }
      outcomes.add(Outcome.APPLIED, more.rows());
      return more.rows();
    }

    private Object[] result(Object[] row) {
      Object[] values = new Object[grouping.length + calls.size()];
      for (int i = 0; i < grouping.length; i++) values[i] = row[grouping[i]];
      entry.rows.values(values, grouping.length);
      return values;
    }

    private void emitChange(Out out) {
      Object[] next = entry == null ? null : result(lastRow);
      if (emitted == null) {
        if (next != null) out.emit(RowKinds.INSERT, next);
      } else if (next == null) {
        out.emit(RowKinds.DELETE, emitted);
      } else if (ttl > 0 || !Values.equalRows(emitted, next)) {
        if (generateUpdateBefore) out.emit(RowKinds.UPDATE_BEFORE, emitted);
        out.emit(RowKinds.UPDATE_AFTER, next);
      }
      emitted = next;
    }

    @Override
    public void close(Out out) {
      if (lastRow != null && coalesce) emitChange(out);
      if (lastRow != null || entry == null) save();
    }
  }
}
