package org.compiledplan.kernel.sources;

import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.connector.catalog.SupportsRead;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.catalog.TableProvider;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * A streaming source of Spark's data source API: a name, columns, and a stream created from
 * options.
 */
public abstract class StreamProvider implements TableProvider {
  private final String name;

  protected StreamProvider(String name) {
    this.name = name;
  }

  /** Returns the columns of a source with these options. */
  protected abstract StructType columns(CaseInsensitiveStringMap options);

  /** Returns the stream of a query with these options. */
  protected abstract MicroBatchStream stream(CaseInsensitiveStringMap options);

  @Override
  public final StructType inferSchema(CaseInsensitiveStringMap options) {
    return columns(options);
  }

  @Override
  public final Table getTable(
      StructType schema, Transform[] partitioning, Map<String, String> properties) {
    return new Source(this, schema);
  }

  @SuppressWarnings("deprecation")
  private record Source(StreamProvider provider, StructType schema) implements SupportsRead {
    @Override
    public String name() {
      return provider.name;
    }

    @Override
    public Set<TableCapability> capabilities() {
      return Set.of(TableCapability.MICRO_BATCH_READ);
    }

    @Override
    public ScanBuilder newScanBuilder(CaseInsensitiveStringMap options) {
      return () ->
          new Scan() {
            @Override
            public StructType readSchema() {
              return schema;
            }

            @Override
            public MicroBatchStream toMicroBatchStream(String checkpoint) {
              return provider.stream(options);
            }
          };
    }
  }
}
