package org.compiledplan.kernel.host.input;

import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SQLContext;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.connector.read.streaming.ReadLimit;
import org.apache.spark.sql.connector.read.streaming.SupportsTriggerAvailableNow;
import org.apache.spark.sql.execution.streaming.Offset;
import org.apache.spark.sql.execution.streaming.Source;
import org.apache.spark.sql.execution.streaming.runtime.LongOffset;
import org.apache.spark.sql.sources.StreamSourceProvider;
import org.apache.spark.sql.types.StructType;
import org.compiledplan.kernel.host.spark.Plans;
import scala.Option;
import scala.Tuple2;

/**
 * A streaming source that returns the rows of a batch DataFrame once, and ends. Its offset is 1
 * once they have been read; a replayed micro-batch computes them again.
 *
 * <p>Option `id`: the result of {@link #hold} for the DataFrame.
 */
public final class WholeTable implements StreamSourceProvider {
  private static final Map<String, Dataset<Row>> HELD = new ConcurrentHashMap<>();

  /** Registers a DataFrame, until {@link #release}; returns its id. */
  public static String hold(Dataset<Row> frame) {
    String id = UUID.randomUUID().toString();
    HELD.put(id, frame);
    return id;
  }

  public static void release(String id) {
    HELD.remove(id);
  }

  @Override
  public Tuple2<String, StructType> sourceSchema(
      SQLContext context,
      Option<StructType> schema,
      String provider,
      scala.collection.immutable.Map<String, String> options) {
    return new Tuple2<>("table", registered(options).schema());
  }

  @Override
  public Source createSource(
      SQLContext context,
      String metadata,
      Option<StructType> schema,
      String provider,
      scala.collection.immutable.Map<String, String> options) {
    return new Once((SparkSession) context.sparkSession(), registered(options));
  }

  private static Dataset<Row> registered(scala.collection.immutable.Map<String, String> options) {
    return HELD.get(options.apply("id"));
  }

  private static final class Once implements Source, SupportsTriggerAvailableNow {
    private static final LongOffset ALL = new LongOffset(1);
    private final SparkSession session;
    private final Dataset<Row> frame;

    Once(SparkSession session, Dataset<Row> frame) {
      this.session = session;
      this.frame = frame;
    }

    @Override
    public StructType schema() {
      return frame.schema();
    }

    @Override
    public Option<Offset> getOffset() {
      return Option.apply(ALL);
    }

    @Override
    public Dataset<Row> getBatch(Option<Offset> start, Offset end) {
      boolean read = start.isDefined() && start.get().json().equals(end.json());
      Dataset<Row> rows = read ? frame.limit(0) : frame;
      return session.internalCreateDataFrame(Plans.of(rows).toRdd(), frame.schema(), true);
    }

    @Override
    public org.apache.spark.sql.connector.read.streaming.Offset latestOffset(
        org.apache.spark.sql.connector.read.streaming.Offset start, ReadLimit limit) {
      return ALL;
    }

    @Override
    public ReadLimit getDefaultReadLimit() {
      return ReadLimit.allAvailable();
    }

    @Override
    public void prepareForTriggerAvailableNow() {}

    @Override
    public void stop() {}
  }
}
