package org.compiledplan.kernel.formats.base;

import java.io.Serializable;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.unsafe.types.UTF8String;

/** Encodes rows as lines of text. Spark calls `line` by name, with its internal values. */
public abstract class Encoder implements Serializable {
  private final String table;
  private final String shape;

  /**
   * @param table name of the table, for messages
   * @param shape type of the rows, see {@link Shape}
   */
  protected Encoder(String table, String shape) {
    this.table = table;
    this.shape = shape;
  }

  public final UTF8String line(byte kind, InternalRow row) {
    try {
      return encode(kind, row);
    } catch (RegistryException e) {
      throw e;
    } catch (Exception e) {
      throw new DataException(DataException.reason(e) + " (written to " + table + ")");
    }
  }

  protected final Shape row() {
    return Shape.parse(shape);
  }

  /** The line of a row, without its line end. */
  protected abstract UTF8String encode(byte kind, InternalRow row) throws Exception;
}
