package org.compiledplan.kernel.lookup;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;

/**
 * A lookup table of a test, in the memory of this process.
 *
 * <p>Description: {@code {"id": name of its rows, "columns": positions of the columns to return,
 * "keys": positions, among these, of the key columns}}.
 */
public final class MemoryTable {
  private static final Map<String, List<Row>> ROWS = new ConcurrentHashMap<>();

  private final String id;
  private final int[] columns;
  private final int[] keys;

  private MemoryTable(String id, int[] columns, int[] keys) {
    this.id = id;
    this.columns = columns;
    this.keys = keys;
  }

  /** Sets the rows of a table; null removes it. */
  public static void put(String id, List<Row> rows) {
    if (rows == null) ROWS.remove(id);
    else ROWS.put(id, rows);
  }

  static MemoryTable of(JsonNode description) {
    return new MemoryTable(
        description.get("id").asText(),
        positions(description.get("columns")),
        positions(description.get("keys")));
  }

  private static int[] positions(JsonNode array) {
    int[] positions = new int[array.size()];
    for (int i = 0; i < positions.length; i++) positions[i] = array.get(i).asInt();
    return positions;
  }

  /** The rows whose key columns equal the key. */
  List<Row> rows(Row key) {
    List<Row> rows = new ArrayList<>();
    for (Row row : ROWS.getOrDefault(id, List.of())) {
      if (!matches(row, key)) continue;
      Object[] values = new Object[columns.length];
      for (int i = 0; i < columns.length; i++) values[i] = row.get(columns[i]);
      rows.add(RowFactory.create(values));
    }
    return rows;
  }

  private boolean matches(Row row, Row key) {
    for (int i = 0; i < keys.length; i++) {
      if (!same(row.get(columns[keys[i]]), key.get(i))) return false;
    }
    return true;
  }

  private static boolean same(Object a, Object b) {
    return a instanceof BigDecimal x && b instanceof BigDecimal y
        ? x.compareTo(y) == 0
        : Objects.equals(a, b);
  }
}
