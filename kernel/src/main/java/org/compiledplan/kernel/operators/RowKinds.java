package org.compiledplan.kernel.operators;

/** Kinds of changelog rows, with Flink's byte values. */
public final class RowKinds {
  public static final byte INSERT = 0;
  public static final byte UPDATE_BEFORE = 1;
  public static final byte UPDATE_AFTER = 2;
  public static final byte DELETE = 3;

  private RowKinds() {}

  /** Whether the row adds something ({@code +I}, {@code +U}) rather than takes it back. */
  public static boolean isAdd(byte kind) {
    return kind == INSERT || kind == UPDATE_AFTER;
  }
}
