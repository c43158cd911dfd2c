package org.compiledplan.kernel.realtime;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
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
import org.compiledplan.kernel.host.watermarks.PartitionKeys;
import org.compiledplan.kernel.host.watermarks.RealTimeWatermarks;
import org.compiledplan.kernel.host.watermarks.WatermarkRow;
import org.compiledplan.kernel.sources.StreamProvider;

/**
 * A source of control rows: at a fixed interval one per partition of the stages, because Spark
 * fires a partition's timers only when it receives a row. Options: {@code op} of the rows, {@code
 * partitions} of each stage, {@code every} ms. A row has the {@code key} that routes it to its
 * partition.
 *
 * <p>With the option {@code watermarks}, the id of {@link RealTimeWatermarks}, a batch begins with
 * rows of the known watermarks of the sources and their partitions, see {@link WatermarkRow};
 * {@code kind} is null in ticks. The watermarks that they reach are this source's offset.
 */
public final class Ticks extends StreamProvider {
  private static final StructType SCHEMA =
      new StructType(
          new StructField[] {
            DataTypes.createStructField("key", DataTypes.StringType, false),
            DataTypes.createStructField("kind", DataTypes.ByteType, true),
            DataTypes.createStructField("source", DataTypes.IntegerType, true),
            DataTypes.createStructField("number", DataTypes.LongType, true),
            DataTypes.createStructField("partition", DataTypes.StringType, true),
            DataTypes.createStructField("watermark", DataTypes.LongType, true)
          });

  public Ticks() {
    super("ticks");
  }

  @Override
  protected StructType columns(CaseInsensitiveStringMap options) {
    return SCHEMA;
  }

  @Override
  protected MicroBatchStream stream(CaseInsensitiveStringMap options) {
    String[] keys = PartitionKeys.of(options.get("op"), options.getInt("partitions", 1));
    RealTimeWatermarks watermarks = RealTimeWatermarks.of(options.getOrDefault("watermarks", ""));
    return new Stream(keys, options.getLong("every", 100), watermarks);
  }

  /** Ticks have no offset, only watermarks do. */
  private static final class Position extends Offset {
    static final Position NONE = new Position("0");

    private final String json;

    Position(String json) {
      this.json = json;
    }

    @Override
    public String json() {
      return json;
    }
  }

  /** Content of a row: the key alone in a tick. */
  private record ControlRow(String key, WatermarkRow known) implements Serializable {
    InternalRow row() {
      Object[] values = new Object[SCHEMA.length()];
      values[0] = UTF8String.fromString(key);
      if (known != null) {
        values[1] = known.kind();
        values[2] = known.group();
        values[3] = known.number();
        values[4] = UTF8String.fromString(known.member());
        values[5] = known.watermark();
      }
      return new GenericInternalRow(values);
    }
  }

  /** Initial rows of a batch, then ticks. */
  private record Part(ControlRow[] first, ControlRow[] ticks, long every)
      implements InputPartition {}

  private static final class Stream implements MicroBatchStream, SupportsRealTimeMode {
    private final ControlRow[] ticks;
    private final long every;
    private final RealTimeWatermarks watermarks;

    Stream(String[] keys, long every, RealTimeWatermarks watermarks) {
      this.ticks =
          Arrays.stream(keys).map(key -> new ControlRow(key, null)).toArray(ControlRow[]::new);
      this.every = every;
      this.watermarks = watermarks;
    }

    @Override
    public Offset initialOffset() {
      return Position.NONE;
    }

    @Override
    public Offset deserializeOffset(String json) {
      return new Position(json);
    }

    @Override
    public Offset latestOffset() {
      return Position.NONE;
    }

    @Override
    public Offset mergeOffsets(PartitionOffset[] offsets) {
      return watermarks == null ? Position.NONE : new Position(watermarks.end());
    }

    @Override
    public InputPartition[] planInputPartitions(Offset start) {
      List<ControlRow> first = new ArrayList<>();
      if (watermarks != null) {
        for (WatermarkRow known : watermarks.begin(start.json()))
          for (String key : watermarks.keys()) first.add(new ControlRow(key, known));
      }
      return new InputPartition[] {new Part(first.toArray(new ControlRow[0]), ticks, every)};
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
    @Override
    public PartitionReader<InternalRow> createReader(InputPartition partition) {
      return new Reader((Part) partition);
    }
  }

  private record NoPosition() implements PartitionOffset {}

  private static final class Reader implements SupportsRealTimeRead<InternalRow> {
    private final Part part;
    private long due = System.currentTimeMillis();
    private int begun = -1;
    private int at = -1;

    Reader(Part part) {
      this.part = part;
    }

    @Override
    public RecordStatus nextWithTimeout(Long timeout) {
      if (begun < part.first.length && ++begun < part.first.length) {
        return RecordStatus.newStatusWithoutArrivalTime(true);
      }
      if (++at == part.ticks.length) {
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
      // Ticks missed during a pause are not made up for.
      due = Math.max(due, System.currentTimeMillis() - part.every);
      return RecordStatus.newStatusWithoutArrivalTime(comes);
    }

    @Override
    public boolean next() {
      return false;
    }

    @Override
    public InternalRow get() {
      return (begun < part.first.length ? part.first[begun] : part.ticks[at]).row();
    }

    @Override
    public PartitionOffset getOffset() {
      return new NoPosition();
    }

    @Override
    public void close() {}
  }
}
