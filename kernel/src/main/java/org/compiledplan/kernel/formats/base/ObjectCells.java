package org.compiledplan.kernel.formats.base;

import java.util.Arrays;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.unsafe.types.UTF8String;

/** A row of objects with all columns. */
public final class ObjectCells implements Cells {
  private final boolean[] required;
  private final Object[] values;

  public ObjectCells(int columns) {
    required = new boolean[columns];
    Arrays.fill(required, true);
    values = new Object[columns];
  }

  /** The columns received; texts reference the bytes that they were passed as. */
  public GenericInternalRow row() {
    return new GenericInternalRow(values);
  }

  @Override
  public boolean[] required() {
    return required;
  }

  @Override
  public void nullValue(int column) {
    values[column] = null;
  }

  @Override
  public void text(int column, byte[] from, int offset, int length) {
    values[column] = UTF8String.fromBytes(from, offset, length);
  }

  @Override
  public void integer(int column, int value) {
    values[column] = value;
  }

  @Override
  public void number(int column, long value) {
    values[column] = value;
  }

  @Override
  public void value(int column, Object value) {
    values[column] = value;
  }
}
