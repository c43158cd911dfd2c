package org.compiledplan.kernel.operators.over;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.OptionalLong;
import org.compiledplan.kernel.operators.base.BatchContext;
import org.compiledplan.kernel.operators.base.Idle;
import org.compiledplan.kernel.operators.base.InputRow;
import org.compiledplan.kernel.operators.base.KeyState;
import org.compiledplan.kernel.operators.base.KeyedOperator;
import org.compiledplan.kernel.operators.base.KeyedState;
import org.compiledplan.kernel.operators.base.OperatorSpec;
import org.compiledplan.kernel.operators.base.Out;
import org.compiledplan.kernel.operators.base.Outcome;
import org.compiledplan.kernel.operators.base.StateKind;
import org.compiledplan.kernel.state.serialization.Columns;
import org.compiledplan.kernel.state.serialization.Fields;
import org.compiledplan.kernel.state.serialization.PackedRow;
import org.compiledplan.kernel.values.RowKinds;

/**
 * OVER windows in processing time: a row's result covers the rows before it immediately. Only in a
 * bounded time window are rows of the same time, that is of one micro-batch, peers. Follows Flink's
 * ProcTimeUnboundedPrecedingFunction, ProcTimeRowsBoundedPrecedingFunction and
 * ProcTimeRangeBoundedPrecedingFunction.
 */
public final class ProctimeOver extends KeyedOperator<ProctimeOver.Window> implements Idle {
  private final Columns columns;
  private final int[] keyColumns;
  private final Columns key;
  private final OverFrame.Reach reach;
  private final OverCalls calls;
  private final boolean peers;

  public ProctimeOver(OperatorSpec spec) {
    columns = Columns.ofInput(0, spec.inputs()[0]);
    keyColumns = spec.key(0);
    key = Columns.ofInput(0, spec.inputs()[0], keyColumns);
    define(spec, StateKind.OVER_PROCTIME, Window::new, Work::new);
    reach = new OverFrame.Reach(spec);
    calls = new OverCalls(spec, reach.isBounded());
    peers = reach.isBounded() && !reach.rows;
  }

  @Override
  public void fire(Window window, BatchContext context, Out out) {
    window.frame.moveTo(context.processingTime());
  }

  /** The window of a key and the key's values. */
  final class Window implements KeyState {
    private PackedRow keyValues = PackedRow.NONE;
    private final OverFrame frame = new OverFrame(reach, calls, columns);

    @Override
    public void fields(Fields io) {
      keyValues = io.packedRow("key", key, keyValues);
      frame.fields(io);
    }

    @Override
    public void recount(BitSet newCalls) {
      frame.recount(newCalls);
    }

    @Override
    public int entries() {
      return peers && frame.isEmpty() ? 0 : 1;
    }

    @Override
    public OptionalLong nextDue(BatchContext context) {
      return peers ? OptionalLong.of(frame.expiresAt()) : OptionalLong.empty();
    }
  }

  private final class Work extends KeyWork {
    private final Window window;
    private final List<Object[]> buffered = new ArrayList<>();

    Work(KeyedState state, BatchContext context) {
      super(state, context);
      window = current();
      window.frame.moveTo(context.processingTime());
    }

    @Override
    public Outcome process(InputRow row, Out out) {
      row.requireInsert("an OVER window in processing time takes insert-only input");
      if (window.keyValues.isNone()) window.keyValues = PackedRow.of(row.values(), keyColumns);
      window.frame.add(context.processingTime(), row.values());
      if (peers) buffered.add(row.values());
      else out.emit(RowKinds.INSERT, calls.result(row.values(), window.frame.values()));
      return Outcome.APPLIED;
    }

    @Override
    public void close(Out out) {
      if (!buffered.isEmpty()) {
        Object[] values = window.frame.values();
        for (Object[] row : buffered) out.emit(RowKinds.INSERT, calls.result(row, values));
      }
      save();
    }
  }
}
