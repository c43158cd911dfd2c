package org.compiledplan.kernel.jdbc;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.Serializable;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.catalyst.CatalystTypeConverters;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.types.StructType;
import org.compiledplan.kernel.values.JsonText;
import scala.Function1;

/** The rows of one query, as the driver fetches them. */
final class QueryReader implements PartitionReader<InternalRow> {
  static final class Factory implements PartitionReaderFactory, Serializable {
    @Override
    public PartitionReader<InternalRow> createReader(InputPartition partition) {
      return new QueryReader((JdbcTable.Query) partition);
    }
  }

  private final String sql;
  private final JsonNode spec;
  private final Database database;
  private final JdbcValues values;
  private final String[] types;
  private final Function1<Object, Object> toSpark;
  private Connection connection;
  private PreparedStatement statement;
  private ResultSet rows;

  private QueryReader(JdbcTable.Query query) {
    sql = query.sql();
    spec = JsonText.read(query.spec());
    database = new Database(spec.path("database"));
    values = JdbcValues.valueOf(spec.path("values").asText());
    types = JdbcValues.types(spec);
    toSpark =
        CatalystTypeConverters.createToCatalystConverter(
            StructType.fromDDL(spec.path("schema").asText()));
  }

  private String action() {
    return "reading table " + spec.path("name").asText();
  }

  @Override
  public boolean next() {
    try {
      if (rows == null) open();
      return rows.next();
    } catch (SQLException error) {
      throw database.failed(error, action());
    }
  }

  private void open() throws SQLException {
    connection = database.connect();
    connection.setReadOnly(values != JdbcValues.TEXT);
    // Otherwise some drivers hold all rows in memory.
    connection.setAutoCommit(spec.path("autoCommit").asBoolean());
    statement = connection.prepareStatement(sql);
    statement.setFetchSize(spec.path("fetch").asInt());
    rows = statement.executeQuery();
  }

  @Override
  public InternalRow get() {
    Object[] cells = new Object[types.length];
    try {
      for (int i = 0; i < cells.length; i++) cells[i] = values.fromJdbc(rows, i + 1, types[i]);
    } catch (SQLException error) {
      throw database.failed(error, action());
    }
    Row row = RowFactory.create(cells);
    return (InternalRow) toSpark.apply(row);
  }

  @Override
  public void close() {
    try {
      if (rows != null) rows.close();
      if (statement != null) statement.close();
      if (connection != null) {
        if (!connection.getAutoCommit()) connection.rollback();
        connection.close();
      }
    } catch (SQLException error) {
      throw database.failed(error, action());
    }
  }
}
