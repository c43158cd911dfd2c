package org.compiledplan.kernel.host.plain;

import java.util.Arrays;
import java.util.Comparator;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.StructType;

/** The order of the rows for a sink: ord, then path (null first). */
final class SinkOrder {
  private SinkOrder() {}

  static Comparator<InternalRow> of(StructType schema) {
    int ord = schema.fieldIndex("ord");
    int path = schema.fieldIndex("path");
    return Comparator.<InternalRow>comparingLong(row -> row.getLong(ord))
        .thenComparing(
            row -> row.isNullAt(path) ? null : row.getBinary(path),
            Comparator.nullsFirst(Arrays::compareUnsigned));
  }
}
