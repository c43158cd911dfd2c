package org.compiledplan.kernel.values;

/** A row as a value inside another row; equal if all fields are ({@link Values#equal}). */
public record Struct(Object[] fields) {
  @Override
  public boolean equals(Object object) {
    return object instanceof Struct && Values.equalRows(fields, ((Struct) object).fields);
  }

  @Override
  public int hashCode() {
    return Values.hashRow(fields);
  }

  @Override
  public String toString() {
    return java.util.Arrays.toString(fields);
  }
}
