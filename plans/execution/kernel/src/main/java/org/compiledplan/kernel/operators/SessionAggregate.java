package org.compiledplan.kernel.operators;

import org.compiledplan.kernel.values.ByteReader;
import org.compiledplan.kernel.values.ByteWriter;
import org.compiledplan.kernel.values.ValueCodec;
import org.compiledplan.kernel.values.ValueType;

/** Aggregates by key and session, once for each session when it is complete (Flink's UnsliceWindowAggProcessor). */
final class SessionAggregate implements Operator {
  private final int[] grouping;
  private final ValueType[] groupTypes;
  private final AggregateCalls calls;
  private final WindowTimes times;
  private final SessionWindows<Accumulated> windows;
  private final WindowRow result;

  SessionAggregate(OperatorSpec spec) {
    grouping = spec.columns("grouping");
    groupTypes = new ValueType[grouping.length];
    for (int i = 0; i < grouping.length; i++) groupTypes[i] = spec.inputs[0][grouping[i]];
    boolean needRetraction = spec.flag("needRetraction", false);
    calls = new AggregateCalls(spec, grouping.length, needRetraction);
    times = new WindowTimes(spec);
    result = new WindowRow(spec, grouping.length, calls.size(), needRetraction, times);
    windows = new SessionWindows<>(spec, times, new Content());
  }

  @Override
  public Session open(KeyedState state, BatchContext context) {
    return windows.open(state, context);
  }

  @Override
  public void onTimer(KeyedState state, BatchContext context, Out out) {
    windows.onTimer(state, context, out);
  }

  private final class Content implements SessionWindows.Content<Accumulated> {
    @Override
    public Object[] readHead(ByteReader in) {
      return ValueCodec.readRow(in, groupTypes);
    }

    @Override
    public Object[] head(Object[] row) {
      Object[] group = new Object[grouping.length];
      for (int i = 0; i < grouping.length; i++) group[i] = row[grouping[i]];
      return group;
    }

    @Override
    public Accumulated empty() {
      return new Accumulated(calls);
    }

    @Override
    public Accumulated read(ByteReader in) {
      return new Accumulated(calls, in);
    }

    @Override
    public void write(Accumulated content, ByteWriter out, ByteWriter scratch) {
      content.write(out, scratch);
    }

    @Override
    public void add(Accumulated content, InputRow row) {
      content.process(row.values, RowKinds.isAdd(row.kind));
    }

    @Override
    public void merge(Accumulated into, Accumulated from) {
      into.merge(from);
    }

    @Override
    public int entries(Accumulated content) {
      return 1;
    }

    @Override
    public void emit(Object[] head, Accumulated content, long start, long end, Out out) {
      result.emit(head, content, start, end, out);
    }
  }
}
