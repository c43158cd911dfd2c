package org.compiledplan.kernel.formats.protobuf;

import java.util.Map;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.unsafe.types.UTF8String;
import org.compiledplan.kernel.formats.base.Encoder;

/** The format `protobuf`: a row becomes a message. */
public final class ProtobufEncoder extends Encoder {
  private final ProtobufMessages messages;
  private final String nullText;
  private transient ProtobufWriters.RowWriter writer;

  public ProtobufEncoder(String table, String shape, Map<String, String> options) {
    super(table, shape);
    messages = new ProtobufMessages(options);
    nullText = options.getOrDefault("write-null-string-literal", "");
  }

  @Override
  protected UTF8String encode(byte kind, InternalRow row) throws Exception {
    if (writer == null) {
      writer = ProtobufWriters.row(messages.descriptor(), row(), nullText);
    }
    return UTF8String.fromBytes(writer.write(row).toByteArray());
  }
}
