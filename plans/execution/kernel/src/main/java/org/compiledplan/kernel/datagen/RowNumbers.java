package org.compiledplan.kernel.datagen;

import java.io.Serializable;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.connector.catalog.SupportsRead;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.catalog.TableProvider;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * A streaming source of the numbers 0, 1, 2, ... in a column `n`, so many a second, that may end.
 * Options: `rate`, rows a second; `rows`, after which it ends, or -1; `partitions`. Its offset is
 * the next number, so a restart goes on exactly there.
 */
public final class RowNumbers implements TableProvider {
  private static final StructType SCHEMA =
      new StructType(
          new StructField[] {DataTypes.createStructField("n", DataTypes.LongType, false)});

  @Override
  public StructType inferSchema(CaseInsensitiveStringMap options) {
    return SCHEMA;
  }

  @Override
  public Table getTable(
      StructType schema, Transform[] partitioning, Map<String, String> properties) {
    return new Numbers();
  }

  private static final class Numbers implements SupportsRead {
    @Override
    public String name() {
      return "datagen";
    }

    @Override
    @SuppressWarnings("deprecation")
    public StructType schema() {
      return SCHEMA;
    }

    @Override
    public Set<TableCapability> capabilities() {
      return Set.of(TableCapability.MICRO_BATCH_READ);
    }

    @Override
    public ScanBuilder newScanBuilder(CaseInsensitiveStringMap options) {
      long rate = options.getLong("rate", 1);
      long rows = options.getLong("rows", -1);
      int partitions = options.getInt("partitions", 1);
      return () ->
          new Scan() {
            @Override
            public StructType readSchema() {
              return SCHEMA;
            }

            @Override
            public MicroBatchStream toMicroBatchStream(String checkpoint) {
              return new NumberStream(rate, rows, partitions);
            }
          };
    }
  }

  /** The numbers from `from` up to, and without, `until`. */
  record Range(long from, long until) implements InputPartition {
    private static final long serialVersionUID = 1L;
  }

  /** Reads ranges. */
  static final class Readers implements PartitionReaderFactory, Serializable {
    private static final long serialVersionUID = 1L;

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
