package org.compiledplan.kernel.aggregates;

import java.util.List;
import org.compiledplan.kernel.state.serialization.Fields;
import org.compiledplan.kernel.values.ByteReader;
import org.compiledplan.kernel.values.ByteWriter;
import org.compiledplan.kernel.values.ValueCodec;

/**
 * A Python aggregate function. The accumulator is a value of its declared type, or bytes that only
 * Python reads. Rows are buffered until the result or the bytes are needed; then Python receives
 * them together with the accumulator, and returns the accumulator and the result.
 *
 * <p>A request: 1 if the result is needed; the accumulator; then the changes, each a byte ({@link
 * #ADD}, {@link #RETRACT} with the arguments as a row, {@link #MERGE} with another accumulator). An
 * answer: the accumulator, and the result if requested. An accumulator is a byte ({@link #FRESH},
 * {@link #VALUE}, {@link #PICKLED}), the length and the bytes.
 */
final class PythonAccumulator implements Accumulator {
  private static final int ADD = 1;
  private static final int RETRACT = 2;
  private static final int MERGE = 3;
  private static final int FRESH = 0;
  private static final int VALUE = 1;
  private static final int PICKLED = 2;
  private static final int MAX_PENDING = 1 << 18;
  private static final byte[] NOTHING = {};

  private final AggregateCall call;

  /**
   * True if the state is pickled: the call has no type, an earlier release wrote it, or it does not
   * fit the type.
   */
  private boolean pickled;

  /** The bytes of a pickled accumulator; empty if it is fresh. */
  private byte[] state = NOTHING;

  /** The value of a typed accumulator; null if it is fresh. */
  private Object accumulator;

  private final ByteWriter pending = new ByteWriter(32);
  private Object value;
  private boolean valued;

  PythonAccumulator(AggregateCall call) {
    this.call = call;
    pickled = call.python().accumulator() == null;
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
    Object[] arguments = new Object[call.args().length];
    for (int i = 0; i < arguments.length; i++) arguments[i] = row[call.args()[i]];
    for (int at : call.python().skips()) {
      if (arguments[at] == null) return;
    }
    pending.writeByte(kind);
    ValueCodec.writeRow(arguments, pending);
    changed();
  }

  @Override
  public void merge(Accumulator source) {
    PythonAccumulator that = (PythonAccumulator) source;
    that.compute(false);
    if (that.state.length == 0 && that.accumulator == null) return;
    pending.writeByte(MERGE);
    that.writeState(pending);
    changed();
  }

  private void writeState(ByteWriter out) {
    if (accumulator != null) {
      out.writeByte(VALUE);
      ByteWriter marshalled = new ByteWriter(64);
      Marshal.write(accumulator, marshalled);
      out.writeSized(marshalled);
    } else {
      out.writeByte(state.length == 0 ? FRESH : PICKLED);
      out.writeVarLong(state.length);
      out.writeBytes(state, 0, state.length);
    }
  }

  private void changed() {
    valued = false;
    if (pending.size() > MAX_PENDING) compute(false);
  }

  private void compute(boolean withResult) {
    if (withResult ? valued : pending.size() == 0) return;
    ByteWriter request = new ByteWriter(state.length + pending.size() + 16);
    request.writeByte(withResult ? 1 : 0);
    writeState(request);
    request.writeBytes(pending.array(), 0, pending.size());
    byte[] answer = PythonWorker.ask(call.python(), request.array(), request.size());
    pending.clear();
    ByteReader in = new ByteReader(answer, 0, answer.length);
    pickled = in.readByte() == PICKLED;
    int length = in.readVarInt();
    state = pickled ? in.readBytes(length) : NOTHING;
    accumulator = pickled ? null : Marshal.read(in, call.python().accumulator());
    if (withResult) {
      value = ValueCodec.read(in, call.resultType());
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
    return pickled ? AccumulatorForm.PYTHON : AccumulatorForm.PYTHON_VALUE;
  }

  @Override
  public List<Form> forms() {
    return call.python().accumulator() == null
        ? List.of(AccumulatorForm.PYTHON)
        : List.of(AccumulatorForm.PYTHON_VALUE, AccumulatorForm.PYTHON);
  }

  @Override
  public void become(Form form) {
    pickled = form == AccumulatorForm.PYTHON;
  }

  @Override
  public void fields(Fields io) {
    compute(false);
    if (pickled) state = io.bytes("state", state);
    else accumulator = io.value("accumulator", call.python().accumulator(), accumulator);
  }
}
