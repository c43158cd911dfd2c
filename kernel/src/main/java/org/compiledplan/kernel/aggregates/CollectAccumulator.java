package org.compiledplan.kernel.aggregates;

import java.util.LinkedHashMap;
import java.util.Map;
import org.compiledplan.kernel.state.serialization.Fields;

/**
 * COLLECT: a multiset as a map from value to its INT count; nulls are skipped, empty without
 * values.
 */
final class CollectAccumulator implements Accumulator {
  private final int arg;
  private final Counts counts;

  CollectAccumulator(AggregateCall call) {
    this.arg = call.args()[0];
    counts = new Counts(call.argTypes()[0]);
  }

  @Override
  public void add(Object[] row) {
    if (row[arg] != null) counts.change(row[arg], 1);
  }

  @Override
  public void retract(Object[] row) {
    if (row[arg] != null) counts.change(row[arg], -1);
  }

  @Override
  public void merge(Accumulator source) {
    for (Counts.Entry entry : ((CollectAccumulator) source).counts.entries()) {
      counts.change(entry.value, entry.count);
    }
  }

  @Override
  public Object value() {
    Map<Object, Object> multiset = new LinkedHashMap<>();
    for (Counts.Entry entry : counts.entries()) {
      if (entry.count > 0) multiset.put(entry.value, (int) entry.count);
    }
    return multiset;
  }

  @Override
  public AccumulatorForm form() {
    return AccumulatorForm.MULTISET;
  }

  @Override
  public void fields(Fields io) {
    counts.fields(io);
  }
}
