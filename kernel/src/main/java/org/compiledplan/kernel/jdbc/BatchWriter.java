package org.compiledplan.kernel.jdbc;

import com.fasterxml.jackson.databind.JsonNode;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.compiledplan.kernel.sinks.BatchTask;
import org.compiledplan.kernel.values.RowKinds;

/**
 * Writes the rows of a micro-batch in one transaction, which also records the number of the batch:
 * a recorded batch is not written again.
 *
 * <p>Description: {@code {"database": see Database, "table", "values": name of a JdbcValues,
 * "types": [Spark types of the columns], "keys": [positions], "write": SQL, "update": SQL or null,
 * "delete": SQL or null, "rows": rows per statement batch, "find": SQL, "move": SQL, "begin": SQL,
 * "run", "sink"}}. Rows have the byte of their kind first. With keys, {@code write} is an upsert,
 * or is preceded by an {@code update}; its parameters are the other columns, then the keys.
 */
public final class BatchWriter extends BatchTask {

  private BatchWriter(String description, long batch, boolean mayBeWritten) {
    super(description, batch, mayBeWritten);
  }

  /**
   * Entry point for Python: writes a micro-batch, unless it is recorded.
   *
   * @param rows one partition, in order; computed once, however often the same object is written,
   *     since its shuffle retains its input
   * @param mayBeWritten true if the batch may have been written before
   */
  public static void write(
      Dataset<Row> rows, String description, long batch, boolean mayBeWritten) {
    rows.foreachPartition(new BatchWriter(description, batch, mayBeWritten));
  }

  @Override
  protected void write(
      JsonNode spec, long batch, int task, boolean mayBeWritten, Iterator<Row> rows) {
    Database database = new Database(spec.get("database"));
    String action = "writing table " + spec.path("table").asText();
    try (Connection connection = database.connect()) {
      connection.setAutoCommit(false);
      try {
        if (begins(connection, spec, batch, mayBeWritten)) {
          write(connection, spec, rows);
          connection.commit();
        } else {
          connection.rollback();
        }
      } catch (SQLException | RuntimeException error) {
        rollBack(connection, error);
        throw error;
      }
    } catch (SQLException error) {
      throw database.failed(error, action);
    }
  }

  private static void rollBack(Connection connection, Exception error) {
    try {
      connection.rollback();
    } catch (SQLException second) {
      error.addSuppressed(second);
    }
  }

  /**
   * Records the batch; returns false if it is recorded already. Concurrent writers of it block
   * here.
   */
  private static boolean begins(
      Connection connection, JsonNode spec, long batch, boolean mayBeWritten) throws SQLException {
    String run = spec.path("run").asText(), sink = spec.path("sink").asText();
    if (change(connection, spec.path("move").asText(), batch, run, sink, batch) > 0) return true;
    Long known = lastBatch(connection, spec.path("find").asText(), run, sink);
    if (known == null) {
      change(connection, spec.path("begin").asText(), run, sink, batch);
      return true;
    }
    if (known == batch && mayBeWritten) return false;
    throw new DatabaseException(
        ("the database has micro-batch %s of this checkpoint in %s already, and the run is at "
                + "%s: the checkpoint is an older copy, or another run goes on with a copy of it")
            .formatted(known, spec.path("table").asText(), batch));
  }

  private static int change(Connection connection, String sql, Object... values)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < values.length; i++) statement.setObject(i + 1, values[i]);
      return statement.executeUpdate();
    }
  }

  private static Long lastBatch(Connection connection, String sql, String run, String sink)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setString(1, run);
      statement.setString(2, sink);
      try (ResultSet result = statement.executeQuery()) {
        return result.next() ? result.getLong(1) : null;
      }
    }
  }

  private static void write(Connection connection, JsonNode spec, Iterator<Row> rows)
      throws SQLException {
    int batchRows = spec.path("rows").asInt();
    JsonNode keys = spec.path("keys");
    try (Statements statements = new Statements(connection, spec)) {
      if (keys.isEmpty()) {
        int pending = 0;
        while (rows.hasNext()) {
          statements.write(rows.next());
          if (++pending % batchRows == 0) statements.flush();
        }
      } else {
        Map<Row, Row> last = new LinkedHashMap<>();
        while (rows.hasNext()) {
          Row row = rows.next();
          last.put(key(row, keys), row);
          if (last.size() >= batchRows) settle(statements, last);
        }
        settle(statements, last);
      }
      statements.flush();
    }
  }

  /**
   * Of the rows of a key the last one counts. A row before an update is the last one if a condition
   * passes it and not the row after: it deletes.
   */
  static void settle(Statements statements, Map<Row, Row> last) throws SQLException {
    List<Row> written = new ArrayList<>();
    // Deletions go first: a new row may reuse their value of another unique column.
    for (Row row : last.values()) {
      if (RowKinds.isAdd(row.getByte(0))) written.add(row);
      else statements.delete(row);
    }
    statements.flush();
    statements.upsert(written);
    last.clear();
  }

  static Row key(Row row, JsonNode keys) {
    Object[] values = new Object[keys.size()];
    for (int i = 0; i < values.length; i++) {
      Object value = row.get(keys.get(i).asInt() + 1);
      values[i] = value instanceof byte[] ? java.nio.ByteBuffer.wrap((byte[]) value) : value;
    }
    return RowFactory.create(values);
  }
}
