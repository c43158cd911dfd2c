package org.compiledplan.kernel.formats.base;

/** Receives the columns of a row, each once; columns that are not read may be skipped. */
public interface Cells {
  /** Returns, per column, true if it is read; read-only. */
  boolean[] required();

  /** Receives a null. */
  void nullValue(int column);

  /** Receives UTF-8 text. */
  void text(int column, byte[] from, int offset, int length);

  /** Receives a value that Spark stores as an int. */
  void integer(int column, int value);

  /** Receives a value that Spark stores as a long. */
  void number(int column, long value);

  /** Receives a value that is no array, map, or row, in Spark's internal form; may be null. */
  void value(int column, Object value);
}
