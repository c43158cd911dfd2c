package org.compiledplan.kernel.datagen;

import java.io.Serializable;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import org.compiledplan.kernel.sources.StreamProvider;

/**
 * A streaming source of the numbers 0, 1, 2, ... in a column `n`, at a fixed rate, optionally
 * bounded. Options: `rate`, rows per second; `rows`, number of rows, or -1; `partitions`. Its
 * offset is the next number, so a restart continues exactly there.
 */
public final class RowNumbers extends StreamProvider {
  private static final StructType SCHEMA =
      new StructType(
          new StructField[] {DataTypes.createStructField("n", DataTypes.LongType, false)});

  public RowNumbers() {
    super("datagen");
  }

  @Override
  protected StructType columns(CaseInsensitiveStringMap options) {
    return SCHEMA;
  }

  @Override
  protected MicroBatchStream stream(CaseInsensitiveStringMap options) {
    long rate = options.getLong("rate", 1);
    return new NumberStream(rate, options.getLong("rows", -1), options.getInt("partitions", 1));
  }

  /** The numbers from `from` to `until` (exclusive). */
  record Range(long from, long until) implements InputPartition {}

  static final class Readers implements PartitionReaderFactory, Serializable {
    @Override
    public PartitionReader<InternalRow> createReader(InputPartition partition) {
      if (partition instanceof PacedNumbers)
        return new PacedNumbers.Reader((PacedNumbers) partition);
      Range range = (Range) partition;
      return new PartitionReader<>() {
        private long at = range.from() - 1;

        @Override
        public boolean next() {
          return ++at < range.until();
        }

        @Override
        public InternalRow get() {
          return new GenericInternalRow(new Object[] {at});
        }

        @Override
        public void close() {}
      };
    }
  }
}
