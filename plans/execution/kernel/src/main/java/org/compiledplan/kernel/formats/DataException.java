package org.compiledplan.kernel.formats;

import org.apache.spark.rdd.InputFileBlockHolder;

/**
 * A row that cannot be read or written: says which table, file and column, the value, and what it
 * should be.
 */
public final class DataException extends RuntimeException {
  private static final long serialVersionUID = 1L;
  private static final int SHOWN = 200;

  public DataException(String message) {
    super(message, null, true, false);
  }

  /** The same failure, with the table and the file that is being read. */
  static DataException reading(String table, Object line, Throwable cause) {
    String file = String.valueOf(InputFileBlockHolder.getInputFilePath());
    String where = file.isEmpty() ? table : table + ", file " + file;
    return new DataException(reason(cause) + " (" + where + ", row " + shown(line) + ")");
  }

  static String reason(Throwable cause) {
    if (cause instanceof com.fasterxml.jackson.core.JsonProcessingException json) {
      return "not JSON: " + json.getOriginalMessage();
    }
    return cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
  }

  /** A value in quotes, cut off when it is long. */
  static String shown(Object value) {
    String text = String.valueOf(value);
    return text.length() > SHOWN ? "'" + text.substring(0, SHOWN) + "...'" : "'" + text + "'";
  }
}
