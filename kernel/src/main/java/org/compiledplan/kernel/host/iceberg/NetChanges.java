package org.compiledplan.kernel.host.iceberg;

import static org.apache.spark.sql.functions.abs;
import static org.apache.spark.sql.functions.any_value;
import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.explode;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.sequence;
import static org.apache.spark.sql.functions.sum;
import static org.apache.spark.sql.functions.when;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.expressions.Window;
import org.apache.spark.sql.expressions.WindowSpec;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.compiledplan.kernel.host.spark.Plans;

/**
 * The net changes of each snapshot: rewritten files carry unchanged rows over, as deleted and
 * inserted ones, which are left out. The deleted and the inserted row of a key are an update.
 */
final class NetChanges {
  private static final String NET = "net", OLD = "old", NEW = "new", COPY = "copy";

  private NetChanges() {}

  /**
   * @param changes columns, then kind and number of the snapshot
   * @param key the names of the columns of a primary key; empty without one
   */
  static Dataset<Row> of(Dataset<Row> changes, List<String> key) {
    StructField[] fields = changes.schema().fields();
    int count = fields.length - 2;
    List<Column> named = new ArrayList<>();
    List<Column> results = new ArrayList<>();
    List<Column> groups = new ArrayList<>(List.of(col(IcebergTable.ORDINAL)));
    List<Column> sums = new ArrayList<>();
    List<Column> keys = new ArrayList<>(List.of(col(IcebergTable.ORDINAL)));
    Column isOld = col(IcebergTable.CHANGE).equalTo("DELETE");
    sums.add(sum(when(isOld, lit(-1L)).otherwise(lit(1L))).as(NET));
    for (int at = 0; at < count; at++) {
      String name = fields[at].name(), column = "c" + at;
      named.add(Plans.column(name).as(column));
      groups.add(col(column));
      if (key.contains(name)) keys.add(col(column));
      if (isExact(fields[at].dataType())) {
        results.add(col(column).as(name));
      } else {
        // Grouping equates -0.0 with 0.0, and maps in any order, and returns one form of them.
        String value = "value" + at;
        named.add(Plans.column(name).as(value));
        groups.add(col(value).cast("string").as("text" + at));
        sums.add(any_value(col(value)).as(value));
        results.add(col(value).as(name));
      }
    }
    named.add(col(IcebergTable.CHANGE));
    named.add(col(IcebergTable.ORDINAL));
    Dataset<Row> rows = changes.select(array(named));
    // One shuffle for the groups and the keys.
    if (!key.isEmpty()) rows = rows.repartition(array(keys));
    Column[] further = array(sums.subList(1, sums.size()));
    Dataset<Row> net = rows.groupBy(array(groups)).agg(sums.get(0), further);
    net = net.where(col(NET).notEqual(0));
    Column isUpdate = lit(false);
    if (!key.isEmpty()) {
      WindowSpec ofKey = Window.partitionBy(array(keys));
      net =
          net.withColumn(OLD, sum(when(col(NET).lt(0), col(NET))).over(ofKey))
              .withColumn(NEW, sum(when(col(NET).gt(0), col(NET))).over(ofKey));
      isUpdate = col(OLD).equalTo(-1).and(col(NEW).equalTo(1));
    }
    Column before = when(isUpdate, "UPDATE_BEFORE").otherwise("DELETE");
    Column after = when(isUpdate, "UPDATE_AFTER").otherwise("INSERT");
    results.add(when(col(NET).lt(0), before).otherwise(after).as(IcebergTable.CHANGE));
    results.add(col(IcebergTable.ORDINAL));
    return net.withColumn(COPY, explode(sequence(lit(1L), abs(col(NET))))).select(array(results));
  }

  /** True if a group has the values of its rows, bit by bit. */
  private static boolean isExact(DataType type) {
    if (type instanceof StructType row) {
      for (StructField field : row.fields()) if (!isExact(field.dataType())) return false;
      return true;
    }
    if (type instanceof ArrayType array) return isExact(array.elementType());
    return !(type instanceof MapType
        || type.equals(DataTypes.FloatType)
        || type.equals(DataTypes.DoubleType));
  }

  private static Column[] array(List<Column> columns) {
    return columns.toArray(new Column[0]);
  }
}
