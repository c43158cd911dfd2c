package org.compiledplan.kernel.formats;

/**
 * A value that cannot be read or written; the message names the column, the value, and the expected
 * type.
 */
public final class DataException extends RuntimeException {
  private static final int SHOWN = 200;

  public DataException(String message) {
    super(message, null, true, false);
  }

  static String reason(Throwable cause) {
    if (cause instanceof com.fasterxml.jackson.core.JsonProcessingException json) {
      return "not JSON: " + json.getOriginalMessage();
    }
    return cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
  }

  /** Escapes line ends and other control characters, which would split log lines and messages. */
  static String oneLine(String text) {
    StringBuilder shown = new StringBuilder(text.length());
    text.chars()
        .forEach(
            c -> {
              if (c == '\n') shown.append("\\n");
              else if (c == '\r') shown.append("\\r");
              else if (c == '\t') shown.append("\\t");
              else if (Character.isISOControl(c)) shown.append(String.format("\\u%04x", c));
              else shown.append((char) c);
            });
    return shown.toString();
  }

  /** A value in quotes, truncated if it is long. */
  static String shown(Object value) {
    String text = oneLine(String.valueOf(value));
    return text.length() > SHOWN ? "'" + text.substring(0, SHOWN) + "...'" : "'" + text + "'";
  }
}
