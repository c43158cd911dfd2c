package org.compiledplan.kernel.host.stage;

import java.util.function.Supplier;
import org.apache.spark.api.java.function.FlatMapGroupsWithStateFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoder;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.KeyValueGroupedDataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.streaming.GroupStateTimeout;
import org.apache.spark.sql.streaming.OutputMode;
import org.apache.spark.sql.streaming.StatefulProcessor;
import org.apache.spark.sql.streaming.TimeMode;
import org.apache.spark.sql.types.StructType;
import org.compiledplan.kernel.host.runtime.InternalRows;
import org.compiledplan.kernel.host.runtime.StageHandle;
import org.compiledplan.kernel.host.runtime.StageKeys;
import org.compiledplan.kernel.host.runtime.StageMetrics;
import org.compiledplan.kernel.host.runtime.StageSpec;
import org.compiledplan.kernel.host.runtime.StageStates;
import org.compiledplan.kernel.host.shuffle.Folding;
import org.compiledplan.kernel.host.spark.ByteOption;
import org.compiledplan.kernel.host.watermarks.RealTimeWatermarks;
import org.compiledplan.kernel.host.watermarks.StageWatermarks;

/** Entry point: appends a stage of keyed operators to a streaming DataFrame. */
public final class Stage {
  private static final ByteOption CACHE_BYTES =
      new ByteOption("spark.compiledPlan.keptBytes", 32L << 20);

  private Stage() {}

  /**
   * Attaches a stage.
   *
   * @param input rows in the envelope that the kernel's README describes
   * @param specJson the stage's operators, see the README
   * @return the stage's output and counters
   * @throws IllegalArgumentException if the description is invalid or names an unsupported feature
   */
  public static StageHandle attach(Dataset<Row> input, String specJson) {
    return attached(input, specJson, false, null);
  }

  /**
   * Attaches a stage.
   *
   * @param input rows in the envelope that the kernel's README describes
   * @param specJson the stage's operators, see the README
   * @param folds true to pre-aggregate rows of a key before the shuffle if the operator supports
   *     it; a task then outputs rows only after it has read all of its input
   * @return the stage's output and counters
   * @throws IllegalArgumentException if the description is invalid or names an unsupported feature
   */
  public static StageHandle attach(Dataset<Row> input, String specJson, boolean folds) {
    return attached(input, specJson, folds, null);
  }

  /**
   * Attaches a stage in real-time mode, where watermarks arrive as control rows.
   *
   * @param watermarks watermarks of the query
   * @param number number of the stage, from 1
   */
  public static StageHandle attach(
      Dataset<Row> input, String specJson, RealTimeWatermarks watermarks, int number) {
    return attached(input, specJson, false, watermarks.stage(number));
  }

  private static StageHandle attached(
      Dataset<Row> input, String specJson, boolean folds, StageWatermarks watermarks) {
    StageSpec spec = StageSpec.parse(specJson, input.schema());
    String states = StageStates.describe(spec);
    StageMetrics metrics = new StageMetrics(input.sparkSession().sparkContext(), spec);
    long cacheBytes = CACHE_BYTES.of(input.sparkSession().conf().get(CACHE_BYTES.name(), null));
    Folding folding = folds ? Folding.of(spec) : null;
    Dataset<Row> output =
        hosted(
            folding == null ? input : input.withColumn(StageSpec.PARTIAL, Folding.none()),
            spec,
            folding == null ? spec.inputSchema : Folding.schema(spec),
            folding,
            spec.outputSchema,
            () -> new TransformHost(spec, metrics, watermarks, cacheBytes),
            () -> new GroupStateHost(spec, metrics));
    return new StageHandle(output, metrics, states);
  }

  /**
   * Builds the output of a stage's host.
   *
   * @param in columns of its input, besides the grouping key
   * @param folding pre-aggregation before the shuffle, null for none
   * @param out columns of its output
   */
  public static Dataset<Row> hosted(
      Dataset<Row> input,
      StageSpec spec,
      StructType in,
      Folding folding,
      StructType out,
      Supplier<StatefulProcessor<Row, InternalRow, InternalRow>> transform,
      Supplier<FlatMapGroupsWithStateFunction<Row, InternalRow, byte[], InternalRow>> groupState) {
    input.sparkSession().conf().set(InternalRows.NESTED_PRUNING, false);
    StagePlanRule.prepare(input.sparkSession());
    Encoder<Row> keys = Encoders.row(StageKeys.schema());
    Dataset<Row> packed = InternalRows.packed(input, in);
    if (folding != null) packed = InternalRows.mapped(packed, folding);
    KeyValueGroupedDataset<Row, InternalRow> groups =
        packed
            .groupBy(StageKeys.columns())
            .as(keys, InternalRows.placeholder(Encoders.row(packed.schema())));
    Encoder<InternalRow> any = InternalRows.placeholder(keys);
    return switch (spec.host) {
      case "transformWithState" ->
          InternalRows.unpacked(
              groups.transformWithState(transform.get(), timeMode(spec), OutputMode.Append(), any),
              out);
      case "flatMapGroupsWithState" -> {
        if (spec.eventTime) {
          throw new IllegalArgumentException(
              "stage " + spec.name + ": " + spec.host + " has no event time here");
        }
        yield InternalRows.unpacked(
            groups.flatMapGroupsWithState(
                groupState.get(),
                OutputMode.Append(),
                Encoders.BINARY(),
                any,
                GroupStateTimeout.ProcessingTimeTimeout()),
            out);
      }
      default ->
          throw new IllegalArgumentException("stage " + spec.name + ": unknown host " + spec.host);
    };
  }

  private static TimeMode timeMode(StageSpec spec) {
    return switch (spec.timeMode) {
      case "event" -> TimeMode.EventTime();
      case "processing" -> TimeMode.ProcessingTime();
      default ->
          throw new IllegalArgumentException(
              "stage " + spec.name + ": unknown time mode " + spec.timeMode);
    };
  }
}
