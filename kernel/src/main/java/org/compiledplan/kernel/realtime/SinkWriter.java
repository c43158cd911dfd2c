package org.compiledplan.kernel.realtime;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.ForeachWriter;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.util.LongAccumulator;
import org.apache.spark.util.SerializableConfiguration;
import org.compiledplan.kernel.sinks.RowSink;
import org.compiledplan.kernel.values.JsonText;

/**
 * Passes each row of a plan to its sink as it arrives.
 *
 * <p>Rows have the number of their sink, then per sink a struct with its output, null in rows of
 * others. A tick has the number -1. The description is {@code {"ticked": true if every task
 * receives ticks, "sinks": [{"type", ...}]}}.
 */
public final class SinkWriter extends ForeachWriter<Row> {
  private final String description;
  private final SerializableConfiguration hadoop;
  private final LongAccumulator[] counts;
  private transient List<RowSink> sinks;

  private SinkWriter(
      String description, SerializableConfiguration hadoop, LongAccumulator[] counts) {
    this.description = description;
    this.hadoop = hadoop;
    this.counts = counts;
  }

  /** Creates the writer of a query's sinks; {@code number} is the number of sinks. */
  public static SinkWriter of(SparkSession session, String description, int number) {
    LongAccumulator[] counts = new LongAccumulator[number];
    for (int at = 0; at < number; at++) counts[at] = session.sparkContext().longAccumulator();
    org.apache.spark.sql.classic.SparkSession classic =
        (org.apache.spark.sql.classic.SparkSession) session;
    return new SinkWriter(
        description, new SerializableConfiguration(classic.sessionState().newHadoopConf()), counts);
  }

  /** Returns the number of rows that a sink received in completed batches. */
  public long count(int sink) {
    return counts[sink].value();
  }

  @Override
  public boolean open(long partition, long epoch) {
    sinks = new ArrayList<>();
    try {
      JsonNode root = JsonText.read(description);
      Task task = new Task(partition, epoch, root.path("ticked").asBoolean(), hadoop.value());
      for (JsonNode spec : root.path("sinks")) sinks.add(RowSinks.open(spec, task));
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
    return true;
  }

  @Override
  public void process(Row row) {
    int at = row.getInt(0);
    try {
      if (at < 0) {
        for (RowSink sink : sinks) sink.tick();
      } else {
        sinks.get(at).write(row.getStruct(at + 1));
        counts[at].add(1L);
      }
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }

  @Override
  public void close(Throwable error) {
    if (sinks == null) return;
    List<RowSink> open = new ArrayList<>(sinks);
    sinks = null;
    try {
      if (error == null) {
        while (!open.isEmpty()) {
          open.get(0).finish();
          open.remove(0);
        }
      }
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    } finally {
      open.forEach(RowSink::abort);
    }
  }
}
