package org.compiledplan.kernel.operators.rank;

import java.util.Arrays;
import org.compiledplan.kernel.operators.base.BatchContext;
import org.compiledplan.kernel.operators.base.InputRow;
import org.compiledplan.kernel.operators.base.KeyState;
import org.compiledplan.kernel.operators.base.KeyedOperator;
import org.compiledplan.kernel.operators.base.KeyedState;
import org.compiledplan.kernel.operators.base.OperatorSpec;
import org.compiledplan.kernel.operators.base.Out;
import org.compiledplan.kernel.operators.base.Outcome;
import org.compiledplan.kernel.operators.base.RowPredicate;
import org.compiledplan.kernel.operators.base.StateKind;
import org.compiledplan.kernel.state.serialization.Fields;

/**
 * Numbers rows in order of arrival across micro-batches: calls of RAND with a seed use the row
 * number as position in the random sequence. Appends two numbers: the position among all rows and
 * the position among rows that satisfy the condition; only the latter rows are emitted.
 */
public final class RowCounter extends KeyedOperator<RowCounter.Numbers> {
  private final RowPredicate condition;

  public RowCounter(OperatorSpec spec) {
    condition = spec.condition(spec.get("condition"));
    define(spec, StateKind.ROW_COUNTER, Numbers::new, Work::new);
  }

  /** Number of rows read and number of rows emitted. */
  static final class Numbers implements KeyState {
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
  }

  private final class Work extends KeyWork {
    private final Numbers numbers;

    Work(KeyedState state, BatchContext context) {
      super(state, context);
      numbers = current();
      changed = true;
    }

    @Override
    public Outcome process(InputRow row, Out out) {
      Object[] wide = Arrays.copyOf(row.values(), row.values().length + 2);
      wide[row.values().length] = numbers.all++;
      wide[row.values().length + 1] = numbers.passed;
      if (!condition.test(wide, new Object[0])) return Outcome.FILTERED;
      numbers.passed++;
      out.emit(row.kind(), wide);
      return Outcome.APPLIED;
    }
  }
}
