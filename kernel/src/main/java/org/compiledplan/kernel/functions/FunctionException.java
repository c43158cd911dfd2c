package org.compiledplan.kernel.functions;

import java.util.Arrays;
import java.util.stream.Collectors;

/**
 * A function that failed on a value; the message names the function, the arguments and the cause.
 */
public final class FunctionException extends RuntimeException {
  private static final int SHOWN = 200;

  FunctionException(String name, Object[] values, Throwable cause) {
    super(text(name, values) + ": " + reason(cause), cause);
  }

  FunctionException(String message) {
    super(message);
  }

  private static String reason(Throwable cause) {
    return cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
  }

  private static String text(String name, Object[] values) {
    return name
        + Arrays.stream(values)
            .map(FunctionException::shown)
            .collect(Collectors.joining(", ", "(", ")"));
  }

  private static String shown(Object value) {
    if (value == null) return "NULL";
    String text = String.valueOf(value);
    if (text.length() > SHOWN) text = text.substring(0, SHOWN) + "...";
    return value instanceof CharSequence ? "'" + text + "'" : text;
  }
}
