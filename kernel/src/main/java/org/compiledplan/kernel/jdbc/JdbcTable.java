package org.compiledplan.kernel.jdbc;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.connector.catalog.SupportsRead;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.catalog.TableProvider;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream;
import org.apache.spark.sql.connector.read.streaming.Offset;
import org.apache.spark.sql.connector.read.streaming.ReadLimit;
import org.apache.spark.sql.connector.read.streaming.SupportsTriggerAvailableNow;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * A streaming source that gives the rows of queries once, each query as a partition, and ends. Its
 * offset is 1 once they have been read.
 *
 * <p>Option `table`: {@code {"database": see Database, "name", "values": name of a JdbcValues,
 * "types": [Spark types of the columns], "schema": the row's type in DDL, "queries": [SQL],
 * "fetch": how many rows at once, "autoCommit": bool}}.
 */
public final class JdbcTable implements TableProvider {
  @Override
  public StructType inferSchema(CaseInsensitiveStringMap options) {
    return StructType.fromDDL(spec(options).path("schema").asText());
  }

  @Override
  public Table getTable(
      StructType schema, Transform[] partitioning, Map<String, String> properties) {
    return new Rows(schema);
  }

  private static JsonNode spec(CaseInsensitiveStringMap options) {
    try {
      return new ObjectMapper().readTree(options.get("table"));
    } catch (JsonProcessingException error) {
      throw new IllegalArgumentException(error);
    }
  }

  private record Rows(StructType known) implements SupportsRead {
    @Override
    public String name() {
      return "jdbc";
    }

    @Override
    @SuppressWarnings("deprecation")
    public StructType schema() {
      return known;
    }

    @Override
    public Set<TableCapability> capabilities() {
      return Set.of(TableCapability.MICRO_BATCH_READ);
    }

    @Override
    public ScanBuilder newScanBuilder(CaseInsensitiveStringMap options) {
      JsonNode spec = spec(options);
      return () ->
          new Scan() {
            @Override
            public StructType readSchema() {
              return known;
            }

            @Override
            public MicroBatchStream toMicroBatchStream(String checkpoint) {
              return new Once(spec);
            }
          };
    }
  }

  /** A query of a partition; `spec` is the table's. */
  record Query(String spec, String sql) implements InputPartition {
    private static final long serialVersionUID = 1L;
  }

  private static final class Read extends Offset {
    static final Read NOTHING = new Read(0), ALL = new Read(1);
    private final int times;

    private Read(int times) {
      this.times = times;
    }

    @Override
    public String json() {
      return Integer.toString(times);
    }
  }

  private static final class Once implements MicroBatchStream, SupportsTriggerAvailableNow {
    private final JsonNode spec;

    Once(JsonNode spec) {
      this.spec = spec;
    }

    @Override
    public Offset initialOffset() {
      return Read.NOTHING;
    }

    @Override
    public Offset deserializeOffset(String json) {
      return new Read(Integer.parseInt(json.trim()));
    }

    @Override
    public Offset latestOffset() {
      return Read.ALL;
    }

    @Override
    public Offset latestOffset(Offset start, ReadLimit limit) {
      return Read.ALL;
    }

    @Override
    public ReadLimit getDefaultReadLimit() {
      return ReadLimit.allAvailable();
    }

    @Override
    public void prepareForTriggerAvailableNow() {}

    @Override
    public InputPartition[] planInputPartitions(Offset start, Offset until) {
      if (((Read) start).times >= ((Read) until).times) return new InputPartition[0];
      JsonNode queries = spec.path("queries");
      InputPartition[] found = new InputPartition[queries.size()];
      for (int i = 0; i < found.length; i++)
        found[i] = new Query(spec.toString(), queries.get(i).asText());
      return found;
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
