package org.compiledplan.kernel.operators.window;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.compiledplan.kernel.operators.aggregate.Accumulated;
import org.compiledplan.kernel.operators.aggregate.AggregateCalls;
import org.compiledplan.kernel.operators.base.BatchContext;
import org.compiledplan.kernel.operators.base.EntryTimes;
import org.compiledplan.kernel.operators.base.InputRow;
import org.compiledplan.kernel.operators.base.KeyState;
import org.compiledplan.kernel.operators.base.KeyedOperator;
import org.compiledplan.kernel.operators.base.KeyedState;
import org.compiledplan.kernel.operators.base.OperatorSpec;
import org.compiledplan.kernel.operators.base.Out;
import org.compiledplan.kernel.operators.base.Outcome;
import org.compiledplan.kernel.operators.base.Partial;
import org.compiledplan.kernel.operators.base.StateKind;
import org.compiledplan.kernel.state.serialization.Columns;
import org.compiledplan.kernel.state.serialization.Fields;
import org.compiledplan.kernel.values.RowKinds;

/**
 * Aggregates by key and aligned window, emitted once when the window is complete. Follows Flink's
 * SlicingWindowOperator, and AggregateWindowOperator for windows in GROUP BY.
 *
 * <p>Rows that belong to the same pending windows share one accumulator, a pane; a window merges
 * its panes. A row thus costs one accumulation, however many windows overlap. A late row gets a
 * pane of its own, without the windows that were complete when it arrived: Flink has fired these,
 * here they may be pending.
 */
public final class WindowAggregate extends KeyedOperator<WindowAggregate.Panes> {
  private final int[] grouping;
  private final Columns groupColumns;
  private final AggregateCalls calls;
  private final WindowAssigner windows;
  private final WindowTimes times;
  private final WindowPanes rows;
  private final WindowRow result;
  private final boolean newestFirst;

  public WindowAggregate(OperatorSpec spec) {
    grouping = spec.columns("grouping");
    groupColumns = Columns.ofInput(0, spec.inputs()[0], grouping);
    boolean needRetraction = spec.flag("needRetraction");
    calls = new AggregateCalls(spec, grouping.length, needRetraction);
    windows = new WindowAssigner(spec);
    times = new WindowTimes(spec);
    rows = new WindowPanes(spec, calls, windows, times);
    result = new WindowRow(spec, grouping.length, calls.size(), needRetraction, times);
    newestFirst = spec.flag("newestFirst");
    define(spec, StateKind.WINDOW_AGGREGATE, Panes::new, Work::new);
  }

  @Override
  public boolean isOrderInsensitive() {
    return !calls.isOrderSensitive();
  }

  @Override
  protected boolean postsEntries() {
    return true;
  }

  @Override
  public Partial partial() {
    // In processing time a row's window is that of the micro-batch, which is unknown before it.
    return rows.areOfRows() && isOrderInsensitive() ? rows.new PartialPanes() : null;
  }

  @Override
  public void onTimer(KeyedState state, BatchContext context, Out out) {
    if (!state.isThere()) return;
    Work work = new Work(state, context);
    work.fire(times.now(context), out);
    work.saveOrReschedule();
  }

  final class Panes implements KeyState {
    private Object[] values;
    private final TreeMap<WindowPanes.Pane, WindowPanes.Pane> panes =
        new TreeMap<>(WindowPanes.ORDER);

    @Override
    public void fields(Fields io) {
      values = io.row("key", groupColumns, values);
      io.list("panes", panes.keySet(), () -> rows.new Pane(), pane -> panes.put(pane, pane));
    }

    @Override
    public int entries() {
      return panes.size();
    }

    @Override
    public boolean isReusable() {
      return true;
    }

    @Override
    public OptionalLong nextDue(BatchContext context) {
      return OptionalLong.of(times.due(nextEnd()));
    }

    @Override
    public void entryTimes(EntryTimes to) {
      for (WindowPanes.Pane pane : panes.keySet()) to.entry(0, EntryTimes.NONE, pane.first);
    }

    /** End of the next window to fire; requires at least one pane. */
    long nextEnd() {
      return panes.firstKey().first;
    }
  }

  private final class Work extends KeyWork {
    private final Panes group;
    private final TreeMap<WindowPanes.Pane, WindowPanes.Pane> panes;
    private final WindowPanes.Assigned assigned;

    Work(KeyedState state, BatchContext context) {
      super(state, context);
      group = current();
      panes = group.panes;
      assigned = rows.new Assigned(panes);
    }

    @Override
    public Outcome process(InputRow row, Out out) {
      if (rows.hasNoTime(row)) return Outcome.FILTERED;
      int before = panes.size();
      WindowPanes.Pane pane = assigned.of(row, context.processingTime());
      if (pane == null) return Outcome.LATE;
      account.created(panes.size() - before);
      touch(row);
      pane.rows.process(row.values(), RowKinds.isAdd(row.kind()));
      return Outcome.APPLIED;
    }

    private void touch(InputRow row) {
      if (group.values == null) group.values = OperatorSpec.values(row.values(), grouping);
      changed = true;
    }

    @Override
    public long merge(InputRow row, byte[] partial, Out out, Outcome.Counts outcomes) {
      WindowPanes.PartialPanes more = rows.new PartialPanes().read(partial);
      outcomes.add(Outcome.LATE, more.late);
      long timed = more.late;
      for (WindowPanes.Pane pane : more.panes.keySet()) {
        outcomes.add(merge(row, pane, context.watermark()), pane.rows.rows());
        timed += pane.rows.rows();
      }
      for (WindowPanes.Pane pane : more.neverLate.keySet()) {
        outcomes.add(merge(row, pane, Long.MIN_VALUE), pane.rows.rows());
        timed += pane.rows.rows();
      }
      outcomes.add(Outcome.FILTERED, more.rows - timed);
      return more.rows;
    }

    private Outcome merge(InputRow row, WindowPanes.Pane from, long watermark) {
      int before = panes.size();
      WindowPanes.Pane pane = assigned.of(from, watermark);
      if (pane == null) return Outcome.LATE;
      account.created(panes.size() - before);
      touch(row);
      pane.rows.merge(from.rows);
      return Outcome.APPLIED;
    }

    /** Adds a pane and merges an existing equal one behind it. */
    private void put(WindowPanes.Pane pane) {
      WindowPanes.Pane before = panes.remove(pane);
      if (before != null) pane.rows.merge(before.rows);
      panes.put(pane, pane);
    }

    void fire(long now, Out out) {
      while (!panes.isEmpty()) {
        long end = group.nextEnd();
        if (times.due(end) > now) return;
        out.check();
        changed = true;
        out.at(times.due(end));
        int before = panes.size();
        fireWindow(end, out);
        account.released(before - panes.size());
      }
    }

    private void fireWindow(long end, Out out) {
      List<WindowPanes.Pane> due = new ArrayList<>();
      while (!panes.isEmpty() && group.nextEnd() == end) due.add(panes.pollFirstEntry().getKey());
      Accumulated all = merged(due);
      long start = windows.isAttached() ? due.get(0).start : windows.start(end);
      result.emit(group.values, all, start, end, out);
      long next = end + windows.interval;
      if (windows.isCumulative()) {
        // From here on all these rows belong to the same windows.
        if (next <= due.get(0).last) put(rows.new Pane(start, next, due.get(0).last, 0, all));
      } else {
        for (WindowPanes.Pane pane : due) {
          if (next <= pane.last) put(rows.new Pane(pane.slice, next, pane.last, 0, pane.rows));
        }
      }
    }

    private Accumulated merged(List<WindowPanes.Pane> due) {
      if (due.size() == 1) return due.get(0).rows;
      Accumulated all = new Accumulated(calls);
      for (int i = 0; i < due.size(); i++) {
        all.merge(due.get(newestFirst ? due.size() - 1 - i : i).rows);
      }
      return all;
    }

    void saveOrReschedule() {
      if (changed) save();
      else state.reschedule(group.nextDue(context));
    }
  }
}
