package org.compiledplan.kernel.aggregates;

import java.util.List;
import org.compiledplan.kernel.state.serialization.Fields;
import org.compiledplan.kernel.userfunctions.UserFunction;

/**
 * A Java aggregate function. The state holds the accumulator as a value of its type; while rows of
 * a key are processed, it is the function's own object.
 */
final class JavaAccumulator implements Accumulator {
  private final AggregateCall call;

  /** The function's accumulator; null if it is only stored, or fresh. */
  private Object open;

  /** The stored accumulator; null if it is fresh, or has changed since. */
  private Object stored;

  JavaAccumulator(AggregateCall call) {
    this.call = call;
  }

  private UserFunction function() {
    return call.java().function().get();
  }

  private Object open() {
    if (open == null) {
      open = stored == null ? function().createAccumulator() : function().restored(stored);
    }
    return open;
  }

  private Object[] arguments(Object[] row) {
    Object[] arguments = new Object[call.args().length];
    for (int i = 0; i < arguments.length; i++) arguments[i] = row[call.args()[i]];
    return arguments;
  }

  @Override
  public void add(Object[] row) {
    function().accumulate(open(), arguments(row));
    stored = null;
  }

  @Override
  public void retract(Object[] row) {
    function().retract(open(), arguments(row));
    stored = null;
  }

  @Override
  public void merge(Accumulator source) {
    JavaAccumulator that = (JavaAccumulator) source;
    if (that.open == null && that.stored == null) return;
    function().merge(open(), that.open());
    stored = null;
  }

  @Override
  public Object value() {
    Object value = function().value(open());
    // The function may have changed the accumulator.
    stored = null;
    return value;
  }

  @Override
  public AccumulatorForm form() {
    return AccumulatorForm.JAVA_VALUE;
  }

  @Override
  public List<Form> forms() {
    return List.of(AccumulatorForm.JAVA_VALUE);
  }

  @Override
  public void fields(Fields io) {
    if (stored == null && open != null) stored = function().stored(open);
    stored = io.value("accumulator", call.java().accumulator(), stored);
  }
}
