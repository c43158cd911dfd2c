package org.compiledplan.kernel.userfunctions;

import java.util.Arrays;
import java.util.stream.Collectors;

/** A user function that failed, or that cannot be called as the plan calls it. */
public final class FunctionFailure extends RuntimeException {
  private static final int SHOWN = 200;

  public FunctionFailure(String message, Throwable cause) {
    super(message, cause);
  }

  /** A function that failed on a row. */
  public static FunctionFailure of(FunctionSpec spec, Object[] values, Throwable cause) {
    String shown =
        Arrays.stream(values).map(FunctionFailure::shown).collect(Collectors.joining(", "));
    String reason =
        cause.getMessage() == null
            ? cause.getClass().getSimpleName()
            : cause.getClass().getSimpleName() + ": " + cause.getMessage();
    // Without the cause as such: the last cause is the message that users see.
    FunctionFailure failure =
        new FunctionFailure(
            "user function failed: %s(%s): %s".formatted(spec.title(), shown, reason), null);
    failure.addSuppressed(cause);
    return failure;
  }

  private static String shown(Object value) {
    if (value == null) return "NULL";
    String text = value instanceof Object[] array ? Arrays.toString(array) : String.valueOf(value);
    if (text.length() > SHOWN) text = text.substring(0, SHOWN) + "...";
    return value instanceof CharSequence ? "'" + text + "'" : text;
  }
}
