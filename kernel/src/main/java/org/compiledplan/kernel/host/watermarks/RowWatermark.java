package org.compiledplan.kernel.host.watermarks;

import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataTypes;

/**
 * The watermark at which a row leaves the watermark assigner: the largest of the rows before it in
 * its {@link InputPiece}. As in Flink's WatermarkAssignerOperator a row's own watermark follows the
 * row, and only once it is more than 200 ms ahead of the last one.
 */
public final class RowWatermark implements UDF1<Long, Long> {
  /** Flink's default of pipeline.auto-watermark-interval, in ms. */
  static final long INTERVAL = 200;

  private transient InputPiece piece;
  private transient long emitted;

  /** Registers the SQL function {@code row_watermark(BIGINT ms) -> BIGINT ms}. */
  public static void register(SparkSession session) {
    session
        .udf()
        .register(
            "row_watermark",
            functions.udf(new RowWatermark(), DataTypes.LongType).asNondeterministic());
  }

  @Override
  public Long call(Long own) {
    if (piece == null) piece = new InputPiece();
    if (piece.changes()) emitted = 0;
    long before = emitted;
    if (own != null && own - emitted > INTERVAL) emitted = own;
    return before == 0 ? Long.MIN_VALUE : before;
  }
}
