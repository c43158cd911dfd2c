package org.compiledplan.kernel.formats.json;

import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.compiledplan.kernel.formats.base.Shape;

/** Dialects of change events with `data`, `old` and `type`. */
public enum EventDialect {
  CANAL("Canal", "INSERT", "UPDATE", "DELETE", "CREATE", true),
  MAXWELL("Maxwell", "insert", "update", "delete", null, false);

  final String title;
  final String insert;
  final String update;
  final String delete;

  /** A type whose events change no row. */
  final String ignored;

  /** True if an event has an array of rows. */
  final boolean isArray;

  EventDialect(
      String title, String insert, String update, String delete, String ignored, boolean isArray) {
    this.title = title;
    this.insert = insert;
    this.update = update;
    this.delete = delete;
    this.ignored = ignored;
    this.isArray = isArray;
  }

  /** The event field of a metadata key. */
  static String field(String key) {
    return switch (key) {
      case "sql-type" -> "sqlType";
      case "pk-names" -> "pkNames";
      case "primary-key-columns" -> "primary_key_columns";
      case "ingestion-timestamp" -> "ts";
      case "event-timestamp" -> "es";
      default -> key;
    };
  }

  /** Microseconds per unit of a time: Maxwell writes seconds, Canal milliseconds. */
  long micros() {
    return this == MAXWELL ? 1_000_000L : 1_000L;
  }

  /**
   * Metadata of an event.
   *
   * @param shape type of its JSON value
   * @param isTime true if it is a time, written as a number
   */
  public record Metadata(Shape shape, boolean isTime) {
    public DataType spark() {
      return isTime ? DataTypes.TimestampType : shape.spark();
    }
  }

  /** The metadata of a key, null if there is none. */
  public static Metadata metadata(String key) {
    return switch (key) {
      case "database", "table" -> new Metadata(TEXT, false);
      case "sql-type" ->
          new Metadata(
              new Shape(
                  "MAP", "MAP<STRING, INT>", 0, 0, NONE, new Shape[] {TEXT, JsonValues.COUNT}),
              false);
      case "pk-names", "primary-key-columns" ->
          new Metadata(new Shape("ARRAY", "ARRAY<STRING>", 0, 0, NONE, new Shape[] {TEXT}), false);
      case "ingestion-timestamp", "event-timestamp" ->
          new Metadata(new Shape("BIGINT", "BIGINT", 0, 0, NONE, new Shape[0]), true);
      default -> null;
    };
  }

  private static final String[] NONE = {};
  private static final Shape TEXT = new Shape("VARCHAR", "STRING", 0, 0, NONE, new Shape[0]);
}
