package org.compiledplan.kernel.aggregates;

import java.util.LinkedHashMap;
import java.util.Map;
import org.compiledplan.kernel.values.ByteReader;
import org.compiledplan.kernel.values.ByteWriter;
import org.compiledplan.kernel.values.ValueType;

/** COLLECT: a multiset as a map from value to its INT count; nulls are skipped, empty without values. */
final class CollectAccumulator implements Accumulator {
  private final int arg;
  private final ValueType type;
  private final Counts counts = new Counts();

  CollectAccumulator(AggregateCall call) {
    this.arg = call.args[0];
    this.type = call.argTypes[0];
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
  public void merge(Accumulator other) {
    for (Counts.Entry entry : ((CollectAccumulator) other).counts.entries.values()) {
      counts.change(entry.value, entry.count);
    }
  }

  @Override
  public Object value() {
    Map<Object, Object> multiset = new LinkedHashMap<>();
    for (Counts.Entry entry : counts.entries.values()) {
      if (entry.count > 0) multiset.put(entry.value, (int) entry.count);
    }
    return multiset;
  }

  @Override
  public void write(ByteWriter out) {
    counts.write(out);
  }

  @Override
  public void read(ByteReader in) {
    counts.read(in, type);
  }
}
