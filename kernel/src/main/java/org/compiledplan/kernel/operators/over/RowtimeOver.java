package org.compiledplan.kernel.operators.over;

import java.util.BitSet;
import java.util.List;
import java.util.OptionalLong;
import org.compiledplan.kernel.operators.base.BatchContext;
import org.compiledplan.kernel.operators.base.EntryTimes;
import org.compiledplan.kernel.operators.base.Firings;
import org.compiledplan.kernel.operators.base.Idle;
import org.compiledplan.kernel.operators.base.InputRow;
import org.compiledplan.kernel.operators.base.KeyState;
import org.compiledplan.kernel.operators.base.KeyedOperator;
import org.compiledplan.kernel.operators.base.KeyedState;
import org.compiledplan.kernel.operators.base.OperatorSpec;
import org.compiledplan.kernel.operators.base.Out;
import org.compiledplan.kernel.operators.base.Outcome;
import org.compiledplan.kernel.operators.base.Rowtime;
import org.compiledplan.kernel.operators.base.StateKind;
import org.compiledplan.kernel.operators.base.WaitingRows;
import org.compiledplan.kernel.operators.base.WaitingRows.Waiting;
import org.compiledplan.kernel.state.serialization.Columns;
import org.compiledplan.kernel.state.serialization.Fields;
import org.compiledplan.kernel.state.serialization.PackedRow;
import org.compiledplan.kernel.values.RowKinds;

/**
 * OVER windows in event time: rows wait for the watermark and are then processed by time. In a time
 * window rows of the same time are peers, which all see each other. Follows Flink's
 * RowTimeUnboundedPrecedingOverFunctionV2, RowTimeRowsBoundedPrecedingFunction and
 * RowTimeRangeBoundedPrecedingFunction: an unbounded window drops rows at or behind the watermark,
 * a bounded one drops rows that are not after a processed row (see {@link Firings}).
 */
public final class RowtimeOver extends KeyedOperator<RowtimeOver.Window> implements Idle {
  private final Columns columns;
  private final int[] keyColumns;
  private final Columns key;
  private final int time;
  private final OverFrame.Reach reach;
  private final OverCalls calls;

  public RowtimeOver(OperatorSpec spec) {
    columns = Columns.ofInput(0, spec.inputs()[0]);
    keyColumns = spec.key(0);
    key = Columns.ofInput(0, spec.inputs()[0], keyColumns);
    define(spec, StateKind.OVER_ROWTIME, Window::new, Work::new);
    time = spec.column("time");
    reach = new OverFrame.Reach(spec);
    calls = new OverCalls(spec, reach.isBounded());
  }

  @Override
  public void fire(Window stored, BatchContext context, Out out) {
    if (reach.isBounded()) stored.firings.moveTo(context.watermark());
    List<Waiting> due = stored.waiting.take(context.watermark());
    if (!due.isEmpty()) {
      emit(due, stored, out);
      stored.firings.through(context.watermark());
    }
  }

  @Override
  public boolean waits(byte[] state) {
    return format.read(state).waiting.count() > 0;
  }

  private void emit(List<Waiting> due, Window stored, Out out) {
    OverFrame frame = stored.frame;
    for (int from = 0, to; from < due.size(); from = to) {
      Waiting first = due.get(from);
      boolean forgets = false;
      for (to = from; to < due.size(); to++) {
        Waiting next = due.get(to);
        if (next.time() != first.time() || next.due() != first.due()) break;
        forgets |= next.isMark() && stored.firings.forgetsAt(next.due());
      }
      frame.moveTo(first.time());
      out.at(first.due());
      if (reach.rows) emitRows(due.subList(from, to), frame, out);
      else emitPeers(due.subList(from, to), frame, out);
      if (forgets) frame = new OverFrame(reach, calls, columns);
    }
    stored.frame = frame;
  }

  private void emitRows(List<Waiting> rows, OverFrame frame, Out out) {
    for (Waiting waiting : rows) {
      Object[] row = waiting.row();
      frame.add(waiting.time(), row);
      out.emit(RowKinds.INSERT, calls.result(row, frame.values()));
    }
  }

  private void emitPeers(List<Waiting> rows, OverFrame frame, Out out) {
    Object[][] peers = new Object[rows.size()][];
    int count = 0;
    for (Waiting waiting : rows) {
      if (waiting.isMark()) continue;
      peers[count] = waiting.row();
      frame.add(waiting.time(), peers[count++]);
    }
    if (count == 0) return;
    Object[] values = frame.values();
    for (int i = 0; i < count; i++) out.emit(RowKinds.INSERT, calls.result(peers[i], values));
  }

  private final class Work extends KeyWork {
    private Window stored;

    Work(KeyedState state, BatchContext context) {
      super(state, context);
    }

    @Override
    public Outcome process(InputRow row, Out out) {
      row.requireInsert("an OVER window in event time takes insert-only input");
      long at = Rowtime.of(row.values(), time);
      if (!reach.isBounded() && at <= row.watermark()) return Outcome.LATE;
      if (stored == null) {
        stored = current();
        if (stored.keyValues.isNone()) stored.keyValues = PackedRow.of(row.values(), keyColumns);
      }
      Outcome outcome = Outcome.HELD;
      if (reach.isBounded()) outcome = stored.firings.add(at, row.watermark(), row.values());
      else stored.waiting.add(at, row.watermark(), row.kind(), row.values());
      changed |= outcome == Outcome.HELD;
      return outcome;
    }
  }

  /** The key's values, the window up to the watermark, and the waiting rows. */
  final class Window implements KeyState {
    private PackedRow keyValues = PackedRow.NONE;
    private final WaitingRows waiting = new WaitingRows(columns);
    private final Firings firings = new Firings(waiting, reach.rows ? -1 : reach.preceding);
    private OverFrame frame = new OverFrame(reach, calls, columns);

    @Override
    public void fields(Fields io) {
      keyValues = io.packedRow("key", key, keyValues);
      if (reach.isBounded()) io.part("firings", firings);
      io.part("frame", frame);
      io.part("waiting", waiting);
    }

    @Override
    public void recount(BitSet newCalls) {
      frame.recount(newCalls);
    }

    /** The window counts as one entry while it has state. */
    @Override
    public int entries() {
      return waiting.count() == 0 && firings.isEmpty() ? 0 : waiting.count() + 1;
    }

    @Override
    public void entryTimes(EntryTimes to) {
      if (entries() > 0) to.entry(0, EntryTimes.NONE, EntryTimes.NONE);
      waiting.entryTimes(0, to);
    }

    @Override
    public OptionalLong nextDue(BatchContext context) {
      return waiting.firstDue();
    }

    @Override
    public boolean waits() {
      return waiting.count() > 0;
    }
  }
}
