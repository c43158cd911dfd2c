package org.compiledplan.kernel.aggregates;

import org.compiledplan.kernel.state.Fields;
import org.compiledplan.kernel.values.ByteReader;
import org.compiledplan.kernel.values.ByteWriter;
import org.compiledplan.kernel.values.ValueCodec;

/**
 * An aggregate function in Python. The accumulator is bytes that only Python reads. Rows wait here
 * until the value or the bytes are asked for; then Python gets them together with the accumulator,
 * and gives both back.
 *
 * <p>A request: 1 if the value is wanted; the accumulator (its length, 0 for a fresh one, and its
 * bytes); then the changes, each a byte ({@link #ADD}, {@link #RETRACT} with the arguments as a
 * row, {@link #MERGE} with another accumulator's bytes). An answer: the accumulator, and the value
 * if it was wanted.
 */
final class PythonAccumulator implements Accumulator {
  private static final int ADD = 1;
  private static final int RETRACT = 2;
  private static final int MERGE = 3;
  private static final int MOST_PENDING = 1 << 18;
  private static final byte[] FRESH = {};

  private final AggregateCall call;
  private byte[] state = FRESH;
  private final ByteWriter pending = new ByteWriter(32);
  private Object value;
  private boolean valued;

  PythonAccumulator(AggregateCall call) {
    this.call = call;
  }

  @Override
  public void add(Object[] row) {
    change(ADD, row);
  }

  @Override
  public void retract(Object[] row) {
    change(RETRACT, row);
  }

  private void change(int kind, Object[] row) {
    Object[] arguments = new Object[call.args.length];
    for (int i = 0; i < arguments.length; i++) arguments[i] = row[call.args[i]];
    for (int at : call.python.skips) {
      if (arguments[at] == null) return;
    }
    pending.writeByte(kind);
    ValueCodec.writeRow(arguments, pending);
    changed();
  }

  @Override
  public void merge(Accumulator other) {
    PythonAccumulator that = (PythonAccumulator) other;
    that.compute(false);
    if (that.state.length == 0) return;
    pending.writeByte(MERGE);
    pending.writeVarLong(that.state.length);
    pending.writeBytes(that.state, 0, that.state.length);
    changed();
  }

  private void changed() {
    valued = false;
    if (pending.size() > MOST_PENDING) compute(false);
  }

  private void compute(boolean wanted) {
    if (wanted ? valued : pending.size() == 0) return;
    ByteWriter request = new ByteWriter(state.length + pending.size() + 8);
    request.writeByte(wanted ? 1 : 0);
    request.writeVarLong(state.length);
    request.writeBytes(state, 0, state.length);
    request.writeBytes(pending.array(), 0, pending.size());
    byte[] answer = PythonWorker.ask(call.python, request.array(), request.size());
    pending.clear();
    ByteReader in = new ByteReader(answer, 0, answer.length);
    state = in.readBytes(in.readVarInt());
    if (wanted) {
      value = ValueCodec.read(in, call.resultType);
      valued = true;
    }
  }

  @Override
  public Object value() {
    compute(true);
    return value;
  }

  @Override
  public AccumulatorForm form() {
    return AccumulatorForm.PYTHON;
  }

  @Override
  public void fields(Fields io) {
    compute(false);
    state = io.bytes("state", state);
  }
}
