package org.compiledplan.kernel.formats.files;

import java.io.Serializable;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.unsafe.types.UTF8String;
import org.compiledplan.kernel.formats.base.Calls;
import org.compiledplan.kernel.sources.RowNumbers;

/**
 * Order of the rows in files of a folder with the same modification time: by the file's path, then
 * by position in the file.
 */
public final class FileOrder implements Serializable {
  private final int common;
  private transient UTF8String last;
  private transient byte[] prefix;
  private transient long position = -1;

  private FileOrder(int common) {
    this.common = common;
  }

  /**
   * A BINARY column that orders the rows; the first {@code common} characters of all URIs are
   * equal.
   */
  public static Column orderOf(int common, Column uri) {
    return Calls.columnInOrder(
        new FileOrder(common), FileOrder.class, "order", DataTypes.BinaryType, uri);
  }

  /** The rest of the path, a zero byte, and the row's position. */
  public byte[] order(UTF8String uri) {
    if (!uri.equals(last)) {
      last = uri.clone();
      byte[] rest = uri.substring(common, uri.numChars()).getBytes();
      prefix = Arrays.copyOf(rest, rest.length + 1);
    }
    if (position < 0) position = RowNumbers.first();
    byte[] order = Arrays.copyOf(prefix, prefix.length + Long.BYTES);
    ByteBuffer.wrap(order).putLong(prefix.length, position++);
    return order;
  }
}
