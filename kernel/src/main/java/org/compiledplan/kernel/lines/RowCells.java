package org.compiledplan.kernel.lines;

import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowWriter;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;
import org.compiledplan.kernel.formats.base.Cells;

/** A Spark row that is written column by column and reused. */
final class RowCells implements Cells {
  private final StructType type;
  private final int[] places;
  private final boolean[] required;
  private final UnsafeRowWriter writer;

  /**
   * @param type type of the row
   * @param places positions of the table's columns in the row, -1 for those that are not in it
   */
  RowCells(StructType type, int[] places) {
    this.type = type;
    this.places = places;
    required = new boolean[places.length];
    for (int i = 0; i < places.length; i++) required[i] = places[i] >= 0;
    writer = new UnsafeRowWriter(type.length());
  }

  void begin() {
    writer.reset();
    writer.zeroOutNullBytes();
  }

  /** The row written since the last call; the object is reused. */
  UnsafeRow row() {
    return writer.getRow();
  }

  /** The writer of the columns that do not belong to the table, by their positions in the row. */
  UnsafeRowWriter head() {
    return writer;
  }

  @Override
  public boolean[] required() {
    return required;
  }

  @Override
  public void nullValue(int column) {
    writer.setNullAt(places[column]);
  }

  @Override
  public void text(int column, byte[] from, int offset, int length) {
    writer.write(places[column], from, offset, length);
  }

  @Override
  public void integer(int column, int value) {
    writer.write(places[column], value);
  }

  @Override
  public void number(int column, long value) {
    writer.write(places[column], value);
  }

  @Override
  public void value(int column, Object value) {
    int place = places[column];
    if (value == null) writer.setNullAt(place);
    else if (value instanceof Long) writer.write(place, (long) value);
    else if (value instanceof Integer) writer.write(place, (int) value);
    else if (value instanceof Double) writer.write(place, (double) value);
    else if (value instanceof Float) writer.write(place, (float) value);
    else if (value instanceof Boolean) writer.write(place, (boolean) value);
    else if (value instanceof Short) writer.write(place, (short) value);
    else if (value instanceof Byte) writer.write(place, (byte) value);
    else if (value instanceof UTF8String) writer.write(place, (UTF8String) value);
    else if (value instanceof byte[]) writer.write(place, (byte[]) value);
    else if (value instanceof Decimal) {
      DecimalType decimal = (DecimalType) type.fields()[place].dataType();
      writer.write(place, (Decimal) value, decimal.precision(), decimal.scale());
    } else throw new IllegalArgumentException("no cell holds a " + value.getClass().getName());
  }
}
