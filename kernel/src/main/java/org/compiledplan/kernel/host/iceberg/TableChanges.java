package org.compiledplan.kernel.host.iceberg;

import com.fasterxml.jackson.databind.JsonNode;
import org.apache.spark.sql.SQLContext;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.streaming.Source;
import org.apache.spark.sql.sources.StreamSourceProvider;
import org.apache.spark.sql.types.StructType;
import org.compiledplan.kernel.values.JsonText;
import scala.Option;
import scala.Tuple2;
import scala.collection.immutable.Map;

/**
 * A streaming source of the changes of a table of Iceberg, which has a batch read of them alone:
 * the metadata table `changes`. A stream begins with the rows of the table as inserts.
 *
 * <p>Option `changes`: {@code {"name": identifier in SQL, "title", "where": names in messages,
 * "schema": the columns, in Spark's JSON, "key": [names of the primary key's columns], "start": ms
 * since 1970 from which snapshots are read, without the rows of the table, or null, "files",
 * "rows": bounds of a micro-batch or null, "remedy": against expired snapshots}}.
 */
public final class TableChanges implements StreamSourceProvider {
  @Override
  public Tuple2<String, StructType> sourceSchema(
      SQLContext context, Option<StructType> schema, String provider, Map<String, String> options) {
    return new Tuple2<>("changes", IcebergTable.schema(spec(options)));
  }

  @Override
  public Source createSource(
      SQLContext context,
      String metadata,
      Option<StructType> schema,
      String provider,
      Map<String, String> options) {
    return new ChangeStream((SparkSession) context.sparkSession(), spec(options));
  }

  private static JsonNode spec(Map<String, String> options) {
    return JsonText.read(options.apply("changes"));
  }
}
