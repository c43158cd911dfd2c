package org.compiledplan.kernel.state.seeding;

import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.plans.logical.EventTimeWatermark;
import org.apache.spark.sql.functions;
import org.compiledplan.kernel.host.runtime.InternalRows;
import org.compiledplan.kernel.host.runtime.StageMetrics;
import org.compiledplan.kernel.host.runtime.StageSpec;
import org.compiledplan.kernel.host.spark.Plans;
import org.compiledplan.kernel.host.stage.Stage;
import org.compiledplan.kernel.values.JsonText;

/**
 * Migrates state into a new checkpoint, in two steps: {@link #convert} converts the rows of the old
 * state into rows of the new one, and a streaming query over these, with a {@link #seed} per stage,
 * writes them as the stages of the new program would.
 *
 * <p>The seeding query runs one micro-batch, with the settings of the program's own queries and the
 * shuffle partitions of the new checkpoint, and without empty micro-batches ({@code
 * spark.sql.streaming.noDataMicroBatches.enabled=false}). It has one stage per stage of the
 * program, in the same order, including stages without rows: Spark identifies an operator's state
 * by its number. Rows that leave the last stage belong to no stage.
 *
 * <p>Afterwards the checkpoint's log is edited to look like a micro-batch of the program. {@code
 * offsets/0} gets the positions of the program's sources, and {@code batchWatermarkMs} in its
 * second line; {@code commits/0} retains Spark's record of the state ({@code stateUniqueIds}) and
 * gets {@code nextBatchWatermarkMs}. Both watermarks are the {@code nextBatchWatermarkMs} of the
 * old checkpoint's last commit, which is also passed to {@link #seed}. Timers due by then, or by
 * the clock, fire in the program's first micro-batch.
 */
public final class Seeding {
  private Seeding() {}

  /**
   * Converts the rows of an old state into those of a new one.
   *
   * @param rows {@code op STRING, key STRING, bytes BINARY}: the state of all stages as stored.
   *     Rows of operators that no mapping names are dropped, as are the lists of due keys (their
   *     {@code op} begins with {@code \\0})
   * @param oldStages list of the stages' descriptions, {@code stages.json} of the old program
   * @param oldStates descriptions of their operators' state, {@code state.json} of the old program
   * @param newStages {@code stages.json} of the new program
   * @param newStates {@code state.json} of the new program
   * @param mapping JSON list of {@link org.compiledplan.kernel.state.conversion.StateMapping}s
   * @return {@code level INT, op STRING, key STRING, bytes BINARY}: the level is the position of
   *     the operator's stage among the new ones, from 0; the bytes are the operator's, without
   *     timer
   * @throws IllegalArgumentException if a mapping names an unknown operator
   * @throws org.compiledplan.kernel.state.serialization.StateFormatException if an operator's state
   *     cannot be converted; the message names the field
   */
  public static Dataset<Row> convert(
      Dataset<Row> rows,
      String oldStages,
      String oldStates,
      String newStages,
      String newStates,
      String mapping) {
    Converter converter = new Converter(oldStages, oldStates, newStages, newStates, mapping);
    return InternalRows.converted(
        rows, converter, "convert", SeedRows.SCHEMA, "op", "key", "bytes");
  }

  /**
   * Attaches the operator that writes the state of one stage.
   *
   * @param rows {@code level INT, op STRING, key STRING, bytes BINARY}: the operator's bytes per
   *     key and operator. Rows of this stage's operators are stored, with timers by the operators'
   *     TTLs and {@code watermark}; other rows pass
   * @param stageJson description of the new program's stage, as for {@link Stage#attach}
   * @param statesJson result of {@code StageHandle.states} of the new program, by uid; may contain
   *     operators of other stages
   * @param watermark the query's watermark in ms when the state was taken, 0 if there was none
   * @throws IllegalArgumentException if the stage and its states do not match
   */
  public static SeedHandle seed(
      Dataset<Row> rows, String stageJson, String statesJson, long watermark) {
    String origin = "the stage's description";
    StageSpec spec =
        StageSpec.stored(JsonText.read(stageJson, origin), JsonText.read(statesJson, origin));
    StageMetrics metrics = new StageMetrics(rows.sparkSession().sparkContext(), spec);
    Dataset<Row> input = spec.eventTime ? withWatermark(rows) : rows;
    Dataset<Row> output =
        Stage.hosted(
            input,
            spec,
            SeedRows.PACKED,
            null,
            SeedRows.SCHEMA,
            () -> new TransformSeed(spec, metrics, watermark),
            () -> new GroupStateSeed(spec, metrics));
    return new SeedHandle(output, metrics);
  }

  /**
   * A watermark column, which Spark requires above a stage with event-time timers. It never
   * advances, so no timer fires.
   */
  private static Dataset<Row> withWatermark(Dataset<Row> rows) {
    if (Plans.analyzed(rows).exists(node -> node instanceof EventTimeWatermark)) return rows;
    String time = "seeded_at";
    return rows.withColumn(time, functions.timestamp_seconds(functions.lit(0)))
        .withWatermark(time, "0 seconds")
        .drop(time);
  }
}
