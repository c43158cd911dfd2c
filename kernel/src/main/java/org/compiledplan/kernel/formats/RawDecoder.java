package org.compiledplan.kernel.formats;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.unsafe.types.UTF8String;

/** The format `raw`: a line is the one column. */
public final class RawDecoder extends Decoder {
  /** An option that tables do not have: what is read is a message, and no line of a file. */
  static final String MESSAGE = "message";

  private final HashMap<String, String> options;
  private final boolean isMessage;
  private transient RawValues values;
  private transient boolean empty;

  RawDecoder(String table, String shape, Map<String, String> options) {
    super(table, shape, false);
    this.options = new HashMap<>(options);
    isMessage = options.containsKey(MESSAGE);
  }

  @Override
  protected boolean skips(UTF8String line) {
    return false;
  }

  @Override
  protected ArrayData decode(UTF8String line) {
    if (values == null) {
      Shape row = row();
      // Of a table whose columns are all names of folders, the lines are counted.
      empty = row.children().length == 0;
      values = empty ? null : new RawValues(row.children()[0], options);
    }
    byte[] bytes = line.getBytes();
    // Lines of files may end as Windows has them; that is cut off whatever the type, as in Flink.
    boolean ended = !isMessage && bytes.length > 0 && bytes[bytes.length - 1] == '\r';
    int length = ended ? bytes.length - 1 : bytes.length;
    Object[] row = empty ? new Object[0] : new Object[] {values.read(Arrays.copyOf(bytes, length))};
    return insert(new GenericInternalRow(row));
  }
}
