package org.compiledplan.kernel.host;

import java.io.Serializable;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.execution.SortExec;
import scala.Function1;
import scala.collection.Iterator;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Brings the rows of a key together: in memory, where a look-up a row is cheaper than its part of a
 * sort; what is too much for that is sorted by Spark, which spills to disk.
 *
 * @param sort what Spark would do
 * @param most bytes that are held before it is done
 * @param passing where rows for other stages are put; null if all are given
 */
record Gathering(SortExec sort, long most, Passing passing)
    implements Function1<Iterator<InternalRow>, Iterator<InternalRow>>, Serializable {
  @Override
  public Iterator<InternalRow> apply(Iterator<InternalRow> rows) {
    TaskMemory memory = new TaskMemory(most);
    GatheredRows gathered = new GatheredRows(memory, passing == null ? null : passing.operators());
    boolean fits = true;
    while (fits && rows.hasNext()) fits = gathered.add((UnsafeRow) rows.next());
    Iterator<InternalRow> result = CollectionConverters.asScala(gathered);
    java.util.Iterator<UnsafeRow> aside = gathered.passing();
    if (!fits) {
      Iterator<InternalRow> others = CollectionConverters.asScala(aside).map(row -> row);
      return sorted(result.concat(() -> others).concat(() -> rows), memory);
    }
    if (aside.hasNext()) passing.putAside(aside);
    return result;
  }

  @SuppressWarnings("unchecked")
  private Iterator<InternalRow> sorted(Iterator<InternalRow> rows, TaskMemory memory) {
    try {
      Iterator<?> unsafe = rows;
      return sort.createSorter().sort((Iterator<UnsafeRow>) unsafe);
    } catch (java.io.IOException failed) {
      throw new java.io.UncheckedIOException(failed);
    } finally {
      memory.release();
    }
  }
}
