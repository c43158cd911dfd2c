package org.compiledplan.kernel.formats;

/** Reads lines that are one insertion straight into columns: what most lines of a format are. */
@FunctionalInterface
public interface LineCells {
  /**
   * Reads a line.
   *
   * @param line where the line is
   * @param from its first byte
   * @param to behind its last byte
   * @param cells where its columns go
   * @return false if the line is to be decoded in another way, for its faults too; some columns may
   *     have been given by then
   */
  boolean read(byte[] line, int from, int to, Cells cells);
}
