package org.compiledplan.kernel.realtime;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.api.java.UDF0;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataTypes;

/**
 * The time at which a row is computed: in real-time mode Spark's own functions return the batch's.
 */
public final class RowClock implements UDF0<Instant> {
  /** Registers the SQL function {@code row_clock() -> TIMESTAMP}. */
  public static void register(SparkSession session) {
    session
        .udf()
        .register(
            "row_clock",
            functions.udf(new RowClock(), DataTypes.TimestampType).asNondeterministic());
  }

  @Override
  public Instant call() {
    return Instant.now().truncatedTo(ChronoUnit.MICROS);
  }
}
