package org.compiledplan.kernel.host.iceberg;

import static org.apache.spark.sql.functions.coalesce;
import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.unix_millis;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.AnalysisException;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.DataFrameReader;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.connector.catalog.TableCatalog;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.compiledplan.kernel.formats.base.UnreadableException;
import org.compiledplan.kernel.host.spark.Plans;

/** A table of Iceberg in a catalog of a session, with its metadata tables. */
final class IcebergTable {
  /** Columns of changes: the kind, and the number of the snapshot in its micro-batch. */
  static final String CHANGE = "_change_type";

  static final String ORDINAL = "_change_ordinal";
  private static final String CURRENT = "current-snapshot-id";
  private static final List<String> MODES =
      List.of("write.delete.mode", "write.update.mode", "write.merge.mode");

  private final SparkSession session;
  private final JsonNode spec;
  private final StructType schema;
  private final TableCatalog catalog;
  private final Identifier identifier;

  /**
   * @param spec see {@link TableChanges}
   */
  IcebergTable(SparkSession session, JsonNode spec) {
    this.session = session;
    this.spec = spec;
    schema = schema(spec);
    Dataset<Row> rows = session.table(name());
    // The interface of the session's catalogs differs between versions of Spark.
    DataSourceV2Relation relation =
        (DataSourceV2Relation) Plans.analyzed(rows).collectLeaves().head();
    catalog = (TableCatalog) relation.catalog().get();
    identifier = relation.identifier().get();
  }

  /** Refuses a table whose updates and deletes write delete files. */
  void checkModes() {
    Map<String, String> properties = properties();
    for (String mode : MODES) {
      if ("merge-on-read".equalsIgnoreCase(properties.get(mode))) {
        throw fault(
            "has '" + mode + "' = 'merge-on-read', and changes in delete files cannot be read",
            "set the property of the table to 'copy-on-write'");
      }
    }
  }

  /** Makes the session's catalog forget the table, which it caches. */
  void refresh() {
    catalog.invalidateTable(identifier);
  }

  /** The id of the current snapshot, or {@link Snapshot#NONE}; {@link #refresh refreshes}. */
  long current() {
    String id = properties().get(CURRENT);
    return id == null || id.equals("none") ? Snapshot.NONE : Long.parseLong(id);
  }

  private Map<String, String> properties() {
    refresh();
    try {
      return catalog.loadTable(identifier).properties();
    } catch (AnalysisException gone) {
      throw fault("does not exist any more", "create it, or correct the options of the table");
    }
  }

  /** The snapshots that have not expired, by id. */
  Map<Long, Snapshot> snapshots() {
    Dataset<Row> rows =
        reader()
            .table(name() + ".snapshots")
            .select(
                col("snapshot_id"),
                coalesce(col("parent_id"), lit(Snapshot.NONE)),
                unix_millis(col("committed_at")),
                coalesce(col("operation"), lit("")),
                count("added-data-files").plus(count("deleted-data-files")),
                count("added-records").plus(count("deleted-records")),
                count("total-delete-files"));
    Map<Long, Snapshot> snapshots = new HashMap<>();
    for (Row row : rows.collectAsList()) {
      Snapshot snapshot =
          new Snapshot(
              row.getLong(0),
              row.getLong(1),
              row.getLong(2),
              row.getString(3),
              row.getLong(4),
              row.getLong(5),
              row.getLong(6));
      snapshots.put(snapshot.id(), snapshot);
    }
    return snapshots;
  }

  private static Column count(String name) {
    return coalesce(col("summary").getItem(name).cast("bigint"), lit(0L));
  }

  /** The rows as of the current snapshot, as changes. */
  Dataset<Row> newest() {
    return inserted(reader().table(name()));
  }

  /** The rows as of a snapshot, as changes; a snapshot has its own columns. */
  Dataset<Row> rows(long snapshot) {
    return inserted(reader().format("iceberg").option("versionAsOf", snapshot).load(name()));
  }

  private Dataset<Row> inserted(Dataset<Row> rows) {
    return selected(rows.withColumn(CHANGE, lit("INSERT")).withColumn(ORDINAL, lit(0)));
  }

  /** The changes of the snapshots behind one, which may be {@link Snapshot#NONE}. */
  Dataset<Row> changes(long after, long until) {
    DataFrameReader reader = reader().option("end-snapshot-id", until);
    if (after != Snapshot.NONE) reader = reader.option("start-snapshot-id", after);
    return selected(reader.table(name() + ".changes"));
  }

  private Dataset<Row> selected(Dataset<Row> rows) {
    List<Column> columns = new ArrayList<>();
    for (String name : schema.fieldNames()) columns.add(Plans.column(name));
    Dataset<Row> selected = rows.select(columns.toArray(new Column[0]));
    if (!selected.schema().catalogString().equals(schema.catalogString())) {
      throw fault(
          "has columns of other types than at the start",
          "declare them as they are now, and start again");
    }
    return selected;
  }

  /** The columns of the source. */
  static StructType schema(JsonNode spec) {
    StructType columns = (StructType) DataType.fromJson(spec.path("schema").toString());
    return columns
        .add(CHANGE, DataTypes.StringType, false)
        .add(ORDINAL, DataTypes.IntegerType, false);
  }

  private String name() {
    return spec.path("name").asText();
  }

  private DataFrameReader reader() {
    return session.read();
  }

  /** An error about the table: a predicate of its name, and a remedy. */
  UnreadableException fault(String predicate, String remedy) {
    String message = spec.path("title").asText() + " " + predicate;
    return UnreadableException.ofTable(message, spec.path("where").asText(), remedy);
  }
}
