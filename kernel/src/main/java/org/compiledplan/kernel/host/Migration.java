package org.compiledplan.kernel.host;

import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.plans.logical.EventTimeWatermark;
import org.apache.spark.sql.functions;
import org.compiledplan.kernel.values.JsonText;

/**
 * Moves state into a new checkpoint, in two steps: {@link #convert} makes of the rows of the old
 * state those of the new one, and a streaming query over these, {@link #seed} for each stage,
 * writes them as the stages of the new program would have.
 *
 * <p>The query that seeds runs one micro-batch, with the settings of the program's own queries and
 * the shuffle partitions that the new checkpoint is to have, and without empty micro-batches
 * ({@code spark.sql.streaming.noDataMicroBatches.enabled=false}). Its stages stand in the order of
 * the program's, one for each, those too that get no rows: Spark finds an operator's state by its
 * number. It gives no rows: what comes out of the last stage was for none.
 *
 * <p>Then the log says that the micro-batch was one of the program's. {@code offsets/0} gets the
 * positions of the program's sources, and {@code batchWatermarkMs} in its second line; {@code
 * commits/0} keeps what Spark wrote of the state ({@code stateUniqueIds}), and gets {@code
 * nextBatchWatermarkMs}. Both watermarks are the {@code nextBatchWatermarkMs} of the last commit of
 * the old checkpoint, which {@link #seed} is to be given, too. All that is due by then, or by the
 * clock, comes with the first micro-batch of the program.
 */
public final class Migration {
  private Migration() {}

  /**
   * Makes of the rows of an old state those of a new one.
   *
   * @param rows {@code op STRING, key STRING, bytes BINARY}: the state of all stages as the state
   *     store has it. Rows of operators that no mapping names are left out, as are the lists of
   *     keys that are due (their {@code op} begins with {@code \\0})
   * @param oldStages the list of the stages' descriptions, {@code stages.json} of the old program
   * @param oldStates what is kept of their operators' state, {@code state.json} of the old program
   * @param newStages the same of the new program
   * @param newStates the same of the new program
   * @param mapping a JSON list of what {@link org.compiledplan.kernel.upgrade.OperatorMapping}
   *     takes
   * @return {@code level INT, op STRING, key STRING, bytes BINARY}: the level is the position of
   *     the operator's stage among the new ones, from 0; the bytes are those of the operator alone
   * @throws IllegalArgumentException if a mapping names an operator that is not there
   * @throws org.compiledplan.kernel.state.StateFormatException if the state of an operator cannot
   *     be made into that of the other; it says which field
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
   * Attaches what writes the state of one stage.
   *
   * @param rows {@code level INT, op STRING, key STRING, bytes BINARY}: for each key of each
   *     operator the operator's bytes. Those of operators of this stage are stored, each timer is
   *     set by the operator's TTLs and {@code watermark}; others pass
   * @param stageJson the description of the new program's stage, as {@link Stage#attach} takes it
   * @param statesJson by uid what {@link StageHandle#states} told of the new program; it may tell
   *     of operators of other stages, too
   * @param watermark that of the query in ms when the state was taken, 0 if there was none
   * @throws IllegalArgumentException if the two do not fit together
   */
  public static SeedHandle seed(
      Dataset<Row> rows, String stageJson, String statesJson, long watermark) {
    String origin = "what is told of a stage";
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
   * A stage with timers in event time wants a watermark somewhere above it. This one never comes to
   * any time, so that no timer fires.
   */
  private static Dataset<Row> withWatermark(Dataset<Row> rows) {
    if (Plans.analyzed(rows).exists(node -> node instanceof EventTimeWatermark)) return rows;
    String time = "seeded_at";
    return rows.withColumn(time, functions.timestamp_seconds(functions.lit(0)))
        .withWatermark(time, "0 seconds")
        .drop(time);
  }
}
