package org.compiledplan.kernel.operators;

import java.util.Arrays;
import java.util.OptionalLong;
import org.compiledplan.kernel.state.Fields;

/**
 * Numbers rows in the order in which they come, over all micro-batches: calls of RAND with a seed
 * give the number of a row its place in the sequence. Two numbers are appended: that among all
 * rows, and that among those for which the condition holds, which alone come out.
 */
final class RowCounter implements Operator {
  private final RowPredicate condition;
  private final StateFormat<Numbers> format;

  RowCounter(OperatorSpec spec) {
    condition = spec.condition(spec.get("condition"));
    format = new StateFormat<>(spec, StateKind.ROW_COUNTER, Numbers::new);
  }

  @Override
  public Session open(KeyedState state, BatchContext context) {
    return new Work(state, context);
  }

  @Override
  public void onTimer(KeyedState state, BatchContext context, Out out) {}

  @Override
  public StateFormat<?> stateFormat() {
    return format;
  }

  /** How many rows came, and how many came out. */
  private static final class Numbers implements KeyState {
    private long all;
    private long passed;

    @Override
    public void fields(Fields io) {
      all = io.count("all", all);
      passed = io.count("passed", passed);
    }

    @Override
    public int entries() {
      return 1;
    }

    @Override
    public OptionalLong nextDue(BatchContext context) {
      return OptionalLong.empty();
    }
  }

  private final class Work implements Session {
    private final KeyedState state;
    private final BatchContext context;
    private final Numbers numbers;

    Work(KeyedState state, BatchContext context) {
      this.state = state;
      this.context = context;
      numbers = state.read(format);
    }

    @Override
    public void process(InputRow row, Out out) {
      Object[] wide = Arrays.copyOf(row.values(), row.values().length + 2);
      wide[row.values().length] = numbers.all++;
      wide[row.values().length + 1] = numbers.passed;
      if (!condition.test(wide, new Object[0])) return;
      numbers.passed++;
      out.emit(row.kind(), wide);
    }

    @Override
    public void close(Out out) {
      format.save(state, numbers, context, state.isThere() ? 1 : 0);
    }
  }
}
