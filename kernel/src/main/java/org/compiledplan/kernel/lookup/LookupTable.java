package org.compiledplan.kernel.lookup;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.compiledplan.kernel.jdbc.Database;
import org.compiledplan.kernel.jdbc.JdbcValues;
import org.compiledplan.kernel.values.JsonText;

/**
 * A table for lookups by key, in a database or in memory. One instance serves all tasks of a
 * process; it keeps its connections open, and caches rows if configured.
 *
 * <p>Description: the fields of {@link Database}, and {@code {"query", "values": name of a
 * JdbcValues, "types": [Spark types of the columns], "retries", "missRetries"?, "missDelay"?: ms,
 * "cache": null or {"maxRows"?, "expireAfterWrite"?: ms, "expireAfterAccess"?: ms, "missing":
 * bool}}}. The query has a question mark for each key. A table in memory has {@code {"memory": see
 * MemoryTable, "missRetries"?, "missDelay"?}} only.
 */
public final class LookupTable {
  private static final Map<String, LookupTable> TABLES = new ConcurrentHashMap<>();

  /** Null for a table in the database. */
  private final MemoryTable memory;

  private final JsonNode spec;
  private final Database database;
  private final JdbcValues values;
  private final String[] types;
  private final int retries;
  private final int missRetries;
  private final long missDelay;

  /** Null without a cache. */
  private final Cache<Row, List<Row>> cache;

  private final boolean keepsMissing;
  private final ArrayDeque<Connection> idle = new ArrayDeque<>();

  private LookupTable(JsonNode spec) {
    this.spec = spec;
    memory = spec.hasNonNull("memory") ? MemoryTable.of(spec.get("memory")) : null;
    database = memory == null ? new Database(spec) : null;
    values = JdbcValues.valueOf(spec.path("values").asText("SQL"));
    types = memory == null ? JdbcValues.types(spec) : new String[0];
    retries = spec.path("retries").asInt(3);
    missRetries = spec.path("missRetries").asInt(0);
    missDelay = spec.path("missDelay").asLong(0);
    cache = spec.hasNonNull("cache") ? cache(spec.get("cache")) : null;
    keepsMissing = spec.path("cache").path("missing").asBoolean(true);
  }

  /** Like Flink's partial cache: the most recently used keys. */
  private static Cache<Row, List<Row>> cache(JsonNode spec) {
    CacheBuilder<Object, Object> builder = CacheBuilder.newBuilder().concurrencyLevel(1);
    if (spec.hasNonNull("maxRows")) builder.maximumSize(spec.get("maxRows").asLong());
    if (spec.hasNonNull("expireAfterWrite"))
      builder.expireAfterWrite(Duration.ofMillis(spec.get("expireAfterWrite").asLong()));
    if (spec.hasNonNull("expireAfterAccess"))
      builder.expireAfterAccess(Duration.ofMillis(spec.get("expireAfterAccess").asLong()));
    return builder.build();
  }

  /** Returns the table of a description; equal descriptions share an instance. */
  public static LookupTable of(String description) {
    return TABLES.computeIfAbsent(description, text -> new LookupTable(JsonText.read(text)));
  }

  /**
   * Returns the rows of a key, retried after a delay while there are none; empty for a null key.
   */
  public List<Row> rows(Row key) {
    for (int i = 0; i < key.length(); i++) {
      if (key.isNullAt(i)) return List.of();
    }
    List<Row> rows = cached(key);
    for (int retry = 0; rows.isEmpty() && retry < missRetries; retry++) {
      try {
        Thread.sleep(missDelay);
      } catch (InterruptedException end) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("interrupted while a lookup waited for its retry");
      }
      rows = cached(key);
    }
    return rows;
  }

  private List<Row> cached(Row key) {
    if (cache == null) return query(key);
    List<Row> known = cache.getIfPresent(key);
    if (known == null) {
      known = query(key);
      if (keepsMissing || !known.isEmpty()) cache.put(key, known);
    }
    return known;
  }

  private List<Row> query(Row key) {
    if (memory != null) return memory.rows(key);
    for (int attempt = 0; ; attempt++) {
      try {
        Connection connection = take();
        boolean whole = false;
        try {
          List<Row> rows = fetch(connection, key);
          whole = true;
          return rows;
        } finally {
          if (whole) giveBack(connection);
          else connection.close();
        }
      } catch (SQLException error) {
        if (attempt >= retries) {
          // Without the cause: the user sees the last message of the chain.
          throw new IllegalStateException(
              "the database " + database + " does not answer: " + error.getMessage());
        }
      }
    }
  }

  private List<Row> fetch(Connection connection, Row key) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(spec.path("query").asText())) {
      for (int i = 0; i < key.length(); i++)
        statement.setObject(i + 1, values.toJdbc(key.get(i), ""));
      List<Row> rows = new ArrayList<>();
      try (ResultSet result = statement.executeQuery()) {
        while (result.next()) {
          Object[] row = new Object[types.length];
          for (int i = 0; i < types.length; i++) row[i] = values.fromJdbc(result, i + 1, types[i]);
          rows.add(RowFactory.create(row));
        }
      }
      return rows;
    }
  }

  private Connection take() throws SQLException {
    synchronized (idle) {
      if (!idle.isEmpty()) return idle.pop();
    }
    return database.connect();
  }

  private void giveBack(Connection connection) {
    synchronized (idle) {
      idle.push(connection);
    }
  }
}
