package org.compiledplan.kernel.host.input;

import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SQLContext;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.sources.BaseRelation;
import org.apache.spark.sql.sources.PrunedScan;
import org.apache.spark.sql.sources.RelationProvider;
import org.apache.spark.sql.types.StructType;
import org.compiledplan.kernel.host.spark.Plans;

/**
 * The rows of a table in a catalog as of each execution: a streaming query reads them anew in every
 * micro-batch, where a DataFrame of the table could stay at the version of the query's start.
 *
 * <p>Option `table`: its name; `refreshes`: true for a catalog that caches tables.
 */
public final class NewestRows implements RelationProvider {
  @Override
  public BaseRelation createRelation(
      SQLContext context, scala.collection.immutable.Map<String, String> options) {
    SparkSession session = (SparkSession) context.sparkSession();
    boolean refreshes = Boolean.parseBoolean(options.apply("refreshes"));
    return new Table(context, session, options.apply("table"), refreshes);
  }

  private static final class Table extends BaseRelation implements PrunedScan {
    private final SQLContext context;
    private final SparkSession session;
    private final String name;
    private final boolean refreshes;
    private final StructType schema;

    Table(SQLContext context, SparkSession session, String name, boolean refreshes) {
      this.context = context;
      this.session = session;
      this.name = name;
      this.refreshes = refreshes;
      this.schema = rows().schema();
    }

    private Dataset<Row> rows() {
      if (refreshes) {
        session.catalog().refreshTable(name);
      }
      return session.table(name);
    }

    @Override
    public SQLContext sqlContext() {
      return context;
    }

    @Override
    public StructType schema() {
      return schema;
    }

    @Override
    public boolean needConversion() {
      return false;
    }

    /** Spark plans a scan in each micro-batch. */
    @Override
    public RDD<Row> buildScan(String[] names) {
      return Plans.rows(rows(), names);
    }
  }
}
