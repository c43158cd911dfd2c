package org.compiledplan.kernel.formats;

/** Takes the columns of a row, each once, those that nobody reads not at all. */
public interface Cells {
  /** Whether anybody reads a column, of all of them; not to be changed. */
  boolean[] wanted();

  /** Null. */
  void nothing(int column);

  /** UTF-8 text. */
  void text(int column, byte[] from, int offset, int length);

  /** A value that Spark holds as an int. */
  void integer(int column, int value);

  /** A value that Spark holds as a long. */
  void number(int column, long value);

  /** A value that is no array, map, or row, in Spark's internal form; may be null. */
  void value(int column, Object value);
}
