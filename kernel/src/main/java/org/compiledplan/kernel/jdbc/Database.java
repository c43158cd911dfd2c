package org.compiledplan.kernel.jdbc;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransientException;
import java.util.Properties;
import java.util.Set;
import org.compiledplan.kernel.values.JsonText;

/**
 * A database and its credentials.
 *
 * <p>Description: {@code {"url", "driver"?, "user"?, "password"?, "timeout": s, "properties": {}}}.
 */
public record Database(JsonNode spec) {
  /** SQLITE_BUSY and SQLITE_LOCKED: another process writes. */
  private static final Set<Integer> SQLITE_BUSY = Set.of(5, 6);

  private static final String[] AWAY = {"08", "57P", "40", "53300", "55P03"};

  public Connection connect() throws SQLException {
    Properties properties = new Properties();
    spec.path("properties")
        .properties()
        .forEach(e -> properties.put(e.getKey(), e.getValue().asText()));
    if (text("user") != null) properties.put("user", text("user"));
    if (text("password") != null) properties.put("password", text("password"));
    return Drivers.connect(url(), text("driver"), properties, spec.path("timeout").asInt(60));
  }

  private String url() {
    return spec.path("url").asText();
  }

  private String text(String field) {
    return spec.hasNonNull(field) ? spec.get(field).asText() : null;
  }

  @Override
  public String toString() {
    return shown(url());
  }

  /** A URL without its parameters and passwords. */
  static String shown(String url) {
    // A password may contain any of these characters: it extends to the last @ that may end it.
    return url.replaceFirst("//.*@", "//")
        .replaceFirst("^(jdbc:oracle:\\w+:).*@", "$1")
        .replaceFirst("[?;].*", "");
  }

  /** Returns true if the failure may be temporary: the database is unreachable, full, or locked. */
  static boolean isAway(SQLException error) {
    for (Throwable cause = error; cause != null; cause = cause.getCause()) {
      if (cause instanceof SQLTransientException || cause instanceof SQLRecoverableException)
        return true;
      if (!(cause instanceof SQLException sqlError)) continue;
      String state = sqlError.getSQLState() == null ? "" : sqlError.getSQLState();
      for (String away : AWAY) if (state.startsWith(away)) return true;
      boolean sqlite = sqlError.getClass().getName().startsWith("org.sqlite.");
      if (sqlite && SQLITE_BUSY.contains(sqlError.getErrorCode() & 0xff)) return true;
    }
    return false;
  }

  /** The exception to throw for an error of the database, worded for the user. */
  RuntimeException failed(SQLException error, String action) {
    String reason = error.getMessage();
    // The error of a statement batch is less specific than that of its statement.
    SQLException next = error.getNextException();
    if (next != null && next.getMessage() != null) reason = next.getMessage();
    String message =
        this + ", " + action + ": " + (reason == null ? error.toString() : reason).strip();
    return isAway(error) ? new DatabaseAwayException(message) : new DatabaseException(message);
  }

  /**
   * Describes a table as the database knows it.
   *
   * @param description description of the database
   * @param candidates possible names of the table in a statement
   * @return {@code {"table": the first existing candidate, "columns": [{"name", "code": of
   *     java.sql.Types, "type": its name}]}}
   * @throws DatabaseException if none exists, or the database refuses
   * @throws DatabaseAwayException if the database does not respond
   */
  public static String describe(String description, String[] candidates) {
    ObjectMapper json = new ObjectMapper();
    Database database = of(description);
    try (Connection connection = database.connect()) {
      SQLException first = null;
      for (String candidate : candidates) {
        try (PreparedStatement statement =
                connection.prepareStatement("SELECT * FROM " + candidate + " WHERE 1 = 0");
            var rows = statement.executeQuery()) {
          ObjectNode result = json.createObjectNode().put("table", candidate);
          ResultSetMetaData columns = rows.getMetaData();
          for (int i = 1; i <= columns.getColumnCount(); i++)
            result
                .withArray("columns")
                .addObject()
                .put("name", columns.getColumnName(i))
                .put("code", columns.getColumnType(i))
                .put("type", columns.getColumnTypeName(i));
          return result.toString();
        } catch (SQLException error) {
          if (isAway(error)) throw error;
          if (first == null) first = error;
        }
      }
      throw first;
    } catch (SQLException error) {
      throw database.failed(error, "looking for table " + candidates[0]);
    }
  }

  /**
   * Runs statements, each in a transaction of its own, until one succeeds.
   *
   * @param description description of the database
   * @param statements alternatives
   */
  public static void runFirst(String description, String[] statements) {
    Database database = of(description);
    try (Connection connection = database.connect()) {
      SQLException last = null;
      for (String sql : statements) {
        try (var statement = connection.createStatement()) {
          statement.execute(sql);
          return;
        } catch (SQLException error) {
          last = error;
        }
      }
      throw last;
    } catch (SQLException error) {
      throw database.failed(error, "running " + statements[statements.length - 1]);
    }
  }

  static Database of(String description) {
    return new Database(JsonText.read(description));
  }
}
