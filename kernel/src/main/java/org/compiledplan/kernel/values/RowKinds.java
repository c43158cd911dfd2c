package org.compiledplan.kernel.values;

/** Kinds of changelog rows, with Flink's byte values. */
public final class RowKinds {
  public static final byte INSERT = 0;
  public static final byte UPDATE_BEFORE = 1;
  public static final byte UPDATE_AFTER = 2;
  public static final byte DELETE = 3;

  private RowKinds() {}

  /** Returns true for {@code +I} and {@code +U}, false for {@code -U} and {@code -D}. */
  public static boolean isAdd(byte kind) {
    return kind == INSERT || kind == UPDATE_AFTER;
  }
}
