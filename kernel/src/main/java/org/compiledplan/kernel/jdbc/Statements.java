package org.compiledplan.kernel.jdbc;

import com.fasterxml.jackson.databind.JsonNode;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.Row;

/** The prepared statements that write a table, see {@link BatchWriter}. */
final class Statements implements AutoCloseable {
  private final JdbcValues values;
  private final String[] types;
  private final int[] all;
  private final int[] keys;
  private final int[] others;
  private final PreparedStatement write;
  private final PreparedStatement update;
  private final PreparedStatement delete;

  Statements(Connection connection, JsonNode spec) throws SQLException {
    values = JdbcValues.valueOf(spec.path("values").asText());
    types = JdbcValues.types(spec);
    keys = new int[spec.path("keys").size()];
    for (int i = 0; i < keys.length; i++) keys[i] = spec.path("keys").get(i).asInt();
    all = new int[types.length];
    others = new int[types.length - keys.length];
    int next = 0;
    for (int i = 0; i < types.length; i++) {
      all[i] = i;
      if (!isKey(i)) others[next++] = i;
    }
    write = prepared(connection, spec, "write");
    update = prepared(connection, spec, "update");
    delete = prepared(connection, spec, "delete");
  }

  private static PreparedStatement prepared(Connection connection, JsonNode spec, String name)
      throws SQLException {
    return spec.hasNonNull(name) ? connection.prepareStatement(spec.get(name).asText()) : null;
  }

  private boolean isKey(int at) {
    for (int key : keys) if (key == at) return true;
    return false;
  }

  private int set(PreparedStatement to, int from, Row row, int[] columns) throws SQLException {
    int at = from;
    for (int column : columns) values.set(to, at++, types[column], row.get(column + 1));
    return at;
  }

  void write(Row row) throws SQLException {
    set(write, 1, row, all);
    write.addBatch();
  }

  void delete(Row row) throws SQLException {
    set(delete, 1, row, keys);
    delete.addBatch();
  }

  /** Inserts or replaces rows of different keys. */
  void upsert(List<Row> rows) throws SQLException {
    for (Row row : update == null ? rows : missing(rows)) write(row);
    flush();
  }

  /** Updates existing rows; returns the missing ones. */
  private List<Row> missing(List<Row> rows) throws SQLException {
    if (rows.isEmpty()) return rows;
    for (Row row : rows) {
      set(update, set(update, 1, row, others), row, keys);
      update.addBatch();
    }
    int[] changed = update.executeBatch();
    List<Row> unmatched = new ArrayList<>();
    for (int i = 0; i < changed.length; i++) {
      if (changed[i] == Statement.SUCCESS_NO_INFO)
        throw new SQLException("the driver does not say whether an UPDATE found its row");
      if (changed[i] == 0) unmatched.add(rows.get(i));
    }
    return unmatched;
  }

  void flush() throws SQLException {
    write.executeBatch();
    if (delete != null) delete.executeBatch();
  }

  @Override
  public void close() throws SQLException {
    write.close();
    if (update != null) update.close();
    if (delete != null) delete.close();
  }
}
