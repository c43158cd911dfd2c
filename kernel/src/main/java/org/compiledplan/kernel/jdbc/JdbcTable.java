package org.compiledplan.kernel.jdbc;

import com.fasterxml.jackson.databind.JsonNode;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream;
import org.apache.spark.sql.connector.read.streaming.Offset;
import org.apache.spark.sql.connector.read.streaming.ReadLimit;
import org.apache.spark.sql.connector.read.streaming.SupportsTriggerAvailableNow;
import org.apache.spark.sql.execution.streaming.runtime.LongOffset;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import org.compiledplan.kernel.sources.StreamProvider;
import org.compiledplan.kernel.values.JsonText;

/**
 * A streaming source that returns the rows of queries once, each query as a partition, and ends.
 * Its offset is 1 once they have been read.
 *
 * <p>Option `table`: {@code {"database": see Database, "name", "values": name of a JdbcValues,
 * "types": [Spark types of the columns], "schema": the row's type in DDL, "queries": [SQL],
 * "fetch": rows per round trip, "autoCommit": bool}}.
 */
public final class JdbcTable extends StreamProvider {
  public JdbcTable() {
    super("jdbc");
  }

  @Override
  protected StructType columns(CaseInsensitiveStringMap options) {
    return StructType.fromDDL(spec(options).path("schema").asText());
  }

  @Override
  protected MicroBatchStream stream(CaseInsensitiveStringMap options) {
    return new Once(spec(options));
  }

  private static JsonNode spec(CaseInsensitiveStringMap options) {
    return JsonText.read(options.get("table"));
  }

  /** A query of a partition; `spec` is the table's. */
  record Query(String spec, String sql) implements InputPartition {}

  private static final class Once implements MicroBatchStream, SupportsTriggerAvailableNow {
    private static final LongOffset NOTHING = new LongOffset(0);
    private static final LongOffset ALL = new LongOffset(1);
    private final JsonNode spec;

    Once(JsonNode spec) {
      this.spec = spec;
    }

    @Override
    public Offset initialOffset() {
      return NOTHING;
    }

    @Override
    public Offset deserializeOffset(String json) {
      return new LongOffset(Long.parseLong(json.trim()));
    }

    @Override
    public Offset latestOffset() {
      return ALL;
    }

    @Override
    public Offset latestOffset(Offset start, ReadLimit limit) {
      return ALL;
    }

    @Override
    public ReadLimit getDefaultReadLimit() {
      return ReadLimit.allAvailable();
    }

    @Override
    public void prepareForTriggerAvailableNow() {}

    @Override
    public InputPartition[] planInputPartitions(Offset start, Offset until) {
      if (((LongOffset) start).offset() >= ((LongOffset) until).offset())
        return new InputPartition[0];
      JsonNode queries = spec.path("queries");
      InputPartition[] partitions = new InputPartition[queries.size()];
      for (int i = 0; i < partitions.length; i++)
        partitions[i] = new Query(spec.toString(), queries.get(i).asText());
      return partitions;
    }

    @Override
    public PartitionReaderFactory createReaderFactory() {
      return new QueryReader.Factory();
    }

    @Override
    public void commit(Offset done) {}

    @Override
    public void stop() {}
  }
}
