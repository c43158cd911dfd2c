package org.compiledplan.kernel;

import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoder;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.KeyValueGroupedDataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.streaming.GroupStateTimeout;
import org.apache.spark.sql.streaming.OutputMode;
import org.apache.spark.sql.streaming.TimeMode;

/** The entry: appends a stage of keyed operators to a streaming DataFrame. */
public final class Stage {
  private Stage() {}

  /**
   * Attaches a stage.
   *
   * @param input rows in the envelope that the kernel's README describes
   * @param specJson the stage's operators, see there
   * @throws IllegalArgumentException if the description is wrong or names what the kernel cannot do
   */
  public static StageHandle attach(Dataset<Row> input, String specJson) {
    StageSpec spec = StageSpec.parse(specJson, input.schema());
    spec.operators.forEach(StageRuntime::create);
    SparkSession session = input.sparkSession();
    StageMetrics metrics = new StageMetrics(session.sparkContext(), spec);
    session.conf().set(InternalRows.NESTED_PRUNING, false);
    return new StageHandle(attach(input, spec, metrics), metrics);
  }

  private static Dataset<Row> attach(Dataset<Row> input, StageSpec spec, StageMetrics metrics) {
    Encoder<Row> keys = Encoders.row(StageKeys.schema());
    Dataset<Row> packed = InternalRows.packed(input, spec.inputSchema);
    KeyValueGroupedDataset<Row, InternalRow> groups = packed.groupBy(StageKeys.columns())
        .as(keys, InternalRows.placeholder(Encoders.row(packed.schema())));
    Encoder<InternalRow> output = InternalRows.placeholder(keys);
    return InternalRows.unpacked(grouped(groups, spec, metrics, output), spec.outputSchema);
  }

  private static Dataset<InternalRow> grouped(
      KeyValueGroupedDataset<Row, InternalRow> groups, StageSpec spec, StageMetrics metrics,
      Encoder<InternalRow> output) {
    switch (spec.host) {
      case "transformWithState":
        return groups.transformWithState(
            new TransformHost(spec, metrics), timeMode(spec), OutputMode.Append(), output);
      case "flatMapGroupsWithState":
        if (spec.eventTime) {
          throw new IllegalArgumentException("stage " + spec.name + ": " + spec.host + " has no event time here");
        }
        boolean processing = spec.timeMode.equals("processing");
        return groups.flatMapGroupsWithState(
            new GroupStateHost(spec, metrics, processing), OutputMode.Append(), Encoders.BINARY(), output,
            processing ? GroupStateTimeout.ProcessingTimeTimeout() : GroupStateTimeout.NoTimeout());
      default:
        throw new IllegalArgumentException("stage " + spec.name + ": unknown host " + spec.host);
    }
  }

  private static TimeMode timeMode(StageSpec spec) {
    switch (spec.timeMode) {
      case "event":
        return TimeMode.EventTime();
      case "processing":
        return TimeMode.ProcessingTime();
      case "none":
        return TimeMode.None();
      default:
        throw new IllegalArgumentException("stage " + spec.name + ": unknown time mode " + spec.timeMode);
    }
  }
}
