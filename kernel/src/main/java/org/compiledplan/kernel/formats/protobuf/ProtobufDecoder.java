package org.compiledplan.kernel.formats.protobuf;

import java.util.Map;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.unsafe.types.UTF8String;
import org.compiledplan.kernel.formats.base.DataException;
import org.compiledplan.kernel.formats.base.Decoder;
import org.sparkproject.spark_core.protobuf.Descriptors.Descriptor;
import org.sparkproject.spark_core.protobuf.DynamicMessage;
import org.sparkproject.spark_core.protobuf.InvalidProtocolBufferException;

/** The format `protobuf`: a message is a row. */
public final class ProtobufDecoder extends Decoder {
  private final ProtobufMessages messages;
  private final boolean defaults;
  private transient Descriptor type;
  private transient ProtobufReaders.RowReader reader;

  public ProtobufDecoder(String table, String shape, Map<String, String> options) {
    super(table, shape, Boolean.parseBoolean(options.get("ignore-parse-errors")));
    messages = new ProtobufMessages(options);
    defaults = Boolean.parseBoolean(options.get("read-default-values"));
  }

  @Override
  protected boolean skips(UTF8String message) {
    // An empty message has the defaults of all fields.
    return false;
  }

  @Override
  protected Object shown(UTF8String message) {
    return hexadecimal(message);
  }

  @Override
  protected ArrayData decode(UTF8String message) throws Exception {
    if (reader == null) {
      type = messages.descriptor();
      reader = ProtobufReaders.row(type, row(), defaults);
    }
    DynamicMessage event;
    try {
      event = DynamicMessage.parseFrom(type, message.getBytes());
    } catch (InvalidProtocolBufferException e) {
      throw new DataException("no message " + type.getFullName() + ": " + e.getMessage());
    }
    return insert(reader.read(event));
  }
}
