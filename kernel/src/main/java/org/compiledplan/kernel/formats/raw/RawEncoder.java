package org.compiledplan.kernel.formats.raw;

import java.util.HashMap;
import java.util.Map;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.unsafe.types.UTF8String;
import org.compiledplan.kernel.formats.base.DataException;
import org.compiledplan.kernel.formats.base.Encoder;

/** The format `raw`: the single column is the line. */
public final class RawEncoder extends Encoder {
  private final HashMap<String, String> options;
  private transient RawValues values;

  public RawEncoder(String table, String shape, Map<String, String> options) {
    super(table, shape);
    this.options = new HashMap<>(options);
  }

  @Override
  protected UTF8String encode(byte kind, InternalRow row) {
    if (values == null) values = new RawValues(row().children()[0], options);
    if (row.isNullAt(0)) {
      throw new DataException("null cannot be written as a line of format raw; filter nulls out");
    }
    return UTF8String.fromBytes(values.write(row, 0));
  }
}
