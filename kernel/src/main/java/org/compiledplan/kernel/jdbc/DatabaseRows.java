package org.compiledplan.kernel.jdbc;

import com.fasterxml.jackson.databind.JsonNode;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.spark.sql.Row;
import org.compiledplan.kernel.sinks.RowSink;
import org.compiledplan.kernel.values.RowKinds;

/**
 * Writes a table with a primary key row by row, in small transactions. A replayed batch writes its
 * rows again; the last row of a key counts.
 *
 * <p>Description and rows are those of {@link BatchWriter}.
 */
public final class DatabaseRows implements RowSink {

  private final JsonNode spec;
  private final boolean ticked;
  private final int batchRows;
  private final Map<Row, Row> last = new LinkedHashMap<>();
  private Database database;
  private Connection connection;
  private Statements statements;

  /**
   * @param ticked true to buffer rows until the next tick; otherwise each row is written at once
   */
  public DatabaseRows(JsonNode spec, boolean ticked) {
    this.spec = spec;
    this.ticked = ticked;
    batchRows = spec.path("rows").asInt();
  }

  @Override
  public void write(Row row) {
    last.put(BatchWriter.key(row, spec.path("keys")), row);
    // A row before an update waits for the one after, so that no reader misses the key in between.
    boolean whole = row.getByte(0) != RowKinds.UPDATE_BEFORE;
    if (!ticked && whole || last.size() >= batchRows) settle();
  }

  @Override
  public void tick() {
    settle();
  }

  private void settle() {
    if (last.isEmpty()) return;
    try {
      if (connection == null) connect();
      BatchWriter.settle(statements, last);
      connection.commit();
    } catch (SQLException error) {
      throw database.failed(error, "writing table " + spec.path("table").asText());
    }
  }

  private void connect() throws SQLException {
    database = new Database(spec.get("database"));
    connection = database.connect();
    connection.setAutoCommit(false);
    statements = new Statements(connection, spec);
  }

  @Override
  public void finish() {
    settle();
    abort();
  }

  @Override
  public void abort() {
    try {
      if (connection != null) connection.close();
    } catch (SQLException error) {
      // Committed rows stay, and the rest is replayed.
    }
    connection = null;
  }
}
