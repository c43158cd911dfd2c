package org.compiledplan.kernel.formats.raw;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.unsafe.types.UTF8String;
import org.compiledplan.kernel.formats.base.Decoder;
import org.compiledplan.kernel.formats.base.Shape;

/** The format `raw`: a line is the single column. */
public final class RawDecoder extends Decoder {
  /** Internal option: the input is a message, not a line of a file. */
  static final String MESSAGE = "message";

  private final HashMap<String, String> options;
  private final boolean isMessage;
  private transient RawValues values;
  private transient boolean empty;

  public RawDecoder(String table, String shape, Map<String, String> options) {
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
      // If all columns are partition columns, the lines are only counted.
      empty = row.children().length == 0;
      values = empty ? null : new RawValues(row.children()[0], options);
    }
    byte[] bytes = line.getBytes();
    // Lines of files may end with CR LF; as in Flink the CR is cut off for all types.
    boolean ended = !isMessage && bytes.length > 0 && bytes[bytes.length - 1] == '\r';
    int length = ended ? bytes.length - 1 : bytes.length;
    Object[] row = empty ? new Object[0] : new Object[] {values.read(Arrays.copyOf(bytes, length))};
    return insert(new GenericInternalRow(row));
  }
}
