package org.compiledplan.kernel.formats.files;

import java.io.Serializable;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.unsafe.types.UTF8String;
import org.compiledplan.kernel.formats.base.Shape;
import org.compiledplan.kernel.formats.raw.PrintEncoder;

/** Folder names of partition column values. */
public final class FolderText implements Serializable {
  private final String shape;
  private transient Shape type;

  FolderText(String shape) {
    this.shape = shape;
  }

  /** The text of a row's single value; null for null. */
  public UTF8String text(InternalRow row) {
    if (row.isNullAt(0)) return null;
    if (type == null) type = Shape.parse(shape);
    StringBuilder out = new StringBuilder();
    PrintEncoder.value(out, row, 0, type);
    return UTF8String.fromString(out.toString());
  }
}
