package org.compiledplan.kernel.formats.base;

/** Parses lines that are one insertion directly into columns: the majority of a format's lines. */
@FunctionalInterface
public interface LineCells {
  /**
   * Parses a line.
   *
   * @param line buffer that contains the line
   * @param from position of its first byte
   * @param to position after its last byte
   * @param cells receives the columns
   * @return false if the line needs the general decoder, which also reports faults; some columns
   *     may have been passed to {@code cells} already
   */
  boolean read(byte[] line, int from, int to, Cells cells);
}
