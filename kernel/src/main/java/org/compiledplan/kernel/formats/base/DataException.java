package org.compiledplan.kernel.formats.base;

import com.fasterxml.jackson.core.JsonProcessingException;

/**
 * A value that cannot be read or written; the message names the column, the value, and the expected
 * type.
 */
public final class DataException extends RuntimeException {
  private static final int SHOWN = 200;

  public DataException(String message) {
    super(message, null, true, false);
  }

  public static String reason(Throwable cause) {
    if (cause instanceof JsonProcessingException json) {
      String message = json.getOriginalMessage();
      return "not JSON: "
          + (message.startsWith("Unexpected end-of-input")
              ? "the text ends within " + endsWithin(message)
              : message);
    }
    return cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
  }

  /**
   * Names the value that a text ends in: Jackson's message depends on the parser, and has its
   * internal names.
   */
  private static String endsWithin(String message) {
    if (message.contains("Object")) return "an object";
    if (message.contains("Array")) return "an array";
    boolean inText = message.matches("(?s).*(string|STRING|field name|escape sequence).*");
    return inText ? "a string" : "a value";
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
