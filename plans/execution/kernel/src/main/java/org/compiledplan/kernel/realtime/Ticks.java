package org.compiledplan.kernel.realtime;

import java.io.Serializable;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.Murmur3Hash;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream;
import org.apache.spark.sql.connector.read.streaming.Offset;
import org.apache.spark.sql.connector.read.streaming.PartitionOffset;
import org.apache.spark.sql.connector.read.streaming.SupportsRealTimeMode;
import org.apache.spark.sql.connector.read.streaming.SupportsRealTimeRead;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import org.apache.spark.unsafe.types.UTF8String;
import org.compiledplan.kernel.sources.StreamProvider;
import scala.jdk.javaapi.CollectionConverters;

/**
 * A source of control rows: every so often one for each partition of the stages, for Spark fires
 * timers of a partition when a row of it has come. Options: {@code op} that the rows will have,
 * {@code partitions} of each stage, {@code every} ms. A row is the {@code key} that takes it to its
 * partition.
 */
public final class Ticks extends StreamProvider {
  private static final StructType SCHEMA =
      new StructType(
          new StructField[] {DataTypes.createStructField("key", DataTypes.StringType, false)});
  private static final int SEED = 42;

  public Ticks() {
    super("ticks", SCHEMA);
  }

  @Override
  protected MicroBatchStream stream(CaseInsensitiveStringMap options) {
    String[] keys = keys(options.get("op"), options.getInt("partitions", 1));
    return new Stream(new Part(keys, options.getLong("every", 100)));
  }

  /** For each partition a key that Spark's shuffle by (key, op) takes there. */
  static String[] keys(String op, int partitions) {
    String[] found = new String[partitions];
    int left = partitions;
    for (int number = 0; left > 0; number++) {
      String key = "#" + number;
      List<Expression> both =
          List.of(new Literal(UTF8String.fromString(key), DataTypes.StringType), text(op));
      int hash =
          (Integer)
              new Murmur3Hash(CollectionConverters.asScala(both).toSeq(), SEED)
                  .eval(InternalRow.empty());
      int at = Math.floorMod(hash, partitions);
      if (found[at] == null) {
        found[at] = key;
        left--;
      }
    }
    return found;
  }

  private static Expression text(String value) {
    return new Literal(UTF8String.fromString(value), DataTypes.StringType);
  }

  /** Nothing is kept of ticks: all offsets are the same. */
  private static final class Always extends Offset {
    @Override
    public String json() {
      return "0";
    }
  }

  private record Part(String[] keys, long every) implements InputPartition {
    private static final long serialVersionUID = 1L;
  }

  private static final class Stream implements MicroBatchStream, SupportsRealTimeMode {
    private final Part part;

    Stream(Part part) {
      this.part = part;
    }

    @Override
    public Offset initialOffset() {
      return new Always();
    }

    @Override
    public Offset deserializeOffset(String json) {
      return new Always();
    }

    @Override
    public Offset latestOffset() {
      return new Always();
    }

    @Override
    public Offset mergeOffsets(PartitionOffset[] offsets) {
      return new Always();
    }

    @Override
    public InputPartition[] planInputPartitions(Offset start) {
      return new InputPartition[] {part};
    }

    @Override
    public InputPartition[] planInputPartitions(Offset start, Offset end) {
      return new InputPartition[0];
    }

    @Override
    public PartitionReaderFactory createReaderFactory() {
      return new Readers();
    }

    @Override
    public void commit(Offset end) {}

    @Override
    public void stop() {}
  }

  private static final class Readers implements PartitionReaderFactory, Serializable {
    private static final long serialVersionUID = 1L;

    @Override
    public PartitionReader<InternalRow> createReader(InputPartition partition) {
      return new Reader((Part) partition);
    }
  }

  private record NoPosition() implements PartitionOffset {
    private static final long serialVersionUID = 1L;
  }

  private static final class Reader implements SupportsRealTimeRead<InternalRow> {
    private final Part part;
    private long due = System.currentTimeMillis();
    private int at = -1;

    Reader(Part part) {
      this.part = part;
    }

    @Override
    public RecordStatus nextWithTimeout(Long timeout) {
      if (++at == part.keys.length) {
        at = 0;
        due += part.every;
      }
      long now = System.currentTimeMillis();
      boolean comes = due - now <= timeout;
      try {
        if (due > now) Thread.sleep(Math.min(due - now, timeout));
      } catch (InterruptedException error) {
        Thread.currentThread().interrupt();
        comes = false;
      }
      // After a pause there are no ticks to be made up for.
      due = Math.max(due, System.currentTimeMillis() - part.every);
      return RecordStatus.newStatusWithoutArrivalTime(comes);
    }

    @Override
    public boolean next() {
      return false;
    }

    @Override
    public InternalRow get() {
      return new GenericInternalRow(new Object[] {UTF8String.fromString(part.keys[at])});
    }

    @Override
    public PartitionOffset getOffset() {
      return new NoPosition();
    }

    @Override
    public void close() {}
  }
}
