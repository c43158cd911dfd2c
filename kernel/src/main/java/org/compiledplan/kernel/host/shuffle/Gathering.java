package org.compiledplan.kernel.host.shuffle;

import java.io.Serializable;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.types.StructType;
import org.compiledplan.kernel.host.runtime.BypassedRows;
import scala.Function1;
import scala.collection.Iterator;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Groups the rows by key: in memory, where a lookup per row is cheaper than sorting; larger inputs
 * are sorted, which spills to disk.
 *
 * @param schema the columns of packed rows
 * @param maxBytes upper bound of the memory in bytes, beyond which Spark sorts
 * @param bypassed receives rows for other stages; null if there are none
 */
record Gathering(StructType schema, long maxBytes, BypassedRows bypassed)
    implements Function1<Iterator<InternalRow>, Iterator<InternalRow>>, Serializable {
  @Override
  public Iterator<InternalRow> apply(Iterator<InternalRow> rows) {
    TaskMemory memory = new TaskMemory(maxBytes);
    GatheredRows gathered =
        new GatheredRows(memory, bypassed == null ? null : bypassed.operators());
    boolean fits = true;
    while (fits && rows.hasNext()) fits = gathered.add((UnsafeRow) rows.next());
    if (!fits) {
      Iterator<InternalRow> first = CollectionConverters.asScala(gathered.drained()).map(r -> r);
      return sorted(first.concat(() -> rows), memory);
    }
    java.util.Iterator<UnsafeRow> aside = gathered.bypassed();
    if (aside.hasNext()) bypassed.add(aside);
    return CollectionConverters.asScala(gathered);
  }

  private Iterator<InternalRow> sorted(Iterator<InternalRow> rows, TaskMemory memory) {
    try {
      return KeySorter.sorted(schema, rows);
    } finally {
      memory.release();
    }
  }
}
