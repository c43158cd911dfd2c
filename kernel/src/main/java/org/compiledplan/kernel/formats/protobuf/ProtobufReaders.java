package org.compiledplan.kernel.formats.protobuf;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.compiledplan.kernel.formats.base.DataException;
import org.compiledplan.kernel.formats.base.Shape;
import org.compiledplan.kernel.formats.base.SparkValues;
import org.sparkproject.spark_core.protobuf.ByteString;
import org.sparkproject.spark_core.protobuf.Descriptors.Descriptor;
import org.sparkproject.spark_core.protobuf.Descriptors.EnumValueDescriptor;
import org.sparkproject.spark_core.protobuf.Descriptors.FieldDescriptor;
import org.sparkproject.spark_core.protobuf.Message;

/** Converts Protocol Buffers values to those of a logical type, in Spark's internal form. */
final class ProtobufReaders {
  /** Name of an enum value that its type does not declare. */
  private static final String UNRECOGNIZED = "UNRECOGNIZED";

  private ProtobufReaders() {}

  @FunctionalInterface
  interface RowReader {
    InternalRow read(Message message);
  }

  /** Reads a value; that of a repeated field is a list. */
  @FunctionalInterface
  private interface Reader {
    Object read(Object value);
  }

  /**
   * A reader of messages as rows; columns are matched with fields by name.
   *
   * @param defaults true if an absent field has its default instead of null
   */
  static RowReader row(Descriptor type, Shape shape, boolean defaults) {
    int width = shape.names().length;
    FieldDescriptor[] fields = new FieldDescriptor[width];
    Reader[] readers = new Reader[width];
    boolean[] always = new boolean[width];
    for (int i = 0; i < width; i++) {
      Shape column = shape.children()[i];
      fields[i] = ProtobufMessages.field(type, shape.names()[i]);
      readers[i] = named(shape.names()[i], fields[i], column, defaults);
      // As in Flink: with proto3, scalar values are never null, not even optional ones.
      boolean isPlain = !fields[i].isRepeated() && isPlain(fields[i]);
      always[i] = defaults || isPlain && (isProto3(type) || !fields[i].hasPresence());
    }
    return message -> {
      Object[] values = new Object[width];
      for (int i = 0; i < width; i++) {
        if (always[i] || isThere(message, fields[i])) {
          values[i] = readers[i].read(message.getField(fields[i]));
        }
      }
      return new GenericInternalRow(values);
    };
  }

  private static boolean isProto3(Descriptor type) {
    return type.getFile().toProto().getSyntax().equals("proto3");
  }

  private static boolean isPlain(FieldDescriptor field) {
    return field.getJavaType() != FieldDescriptor.JavaType.MESSAGE;
  }

  private static boolean isThere(Message message, FieldDescriptor field) {
    return field.isRepeated() ? message.getRepeatedFieldCount(field) > 0 : message.hasField(field);
  }

  private static Reader named(String name, FieldDescriptor field, Shape shape, boolean defaults) {
    try {
      return field.isMapField()
          ? map(field, shape, defaults)
          : field.isRepeated() ? array(field, shape, defaults) : single(field, shape, defaults);
    } catch (DataException e) {
      throw new DataException("column " + name + ": " + e.getMessage());
    }
  }

  private static Reader single(FieldDescriptor field, Shape shape, boolean defaults) {
    if (!isPlain(field)) {
      if (!shape.root().equals("ROW")) throw ProtobufMessages.unfit(field, shape);
      RowReader row = row(field.getMessageType(), shape, defaults);
      return value -> row.read((Message) value);
    }
    if (!ProtobufMessages.fits(field, shape)) throw ProtobufMessages.unfit(field, shape);
    return switch (field.getJavaType()) {
      case STRING -> value -> SparkValues.text((String) value);
      case BYTE_STRING -> value -> ((ByteString) value).toByteArray();
      case ENUM -> enumeration(field, shape);
      default -> value -> value;
    };
  }

  private static Reader enumeration(FieldDescriptor field, Shape shape) {
    if (ProtobufMessages.isText(shape)) {
      return value -> {
        EnumValueDescriptor constant = (EnumValueDescriptor) value;
        return SparkValues.text(isKnown(constant) ? constant.getName() : UNRECOGNIZED);
      };
    }
    return value -> {
      EnumValueDescriptor constant = (EnumValueDescriptor) value;
      int number = constant.getNumber();
      if (!isKnown(constant)) {
        throw new DataException(
            "the field %s has the number %s, which is none of %s"
                .formatted(field.getFullName(), number, field.getEnumType().getFullName()));
      }
      return whole(number, shape);
    };
  }

  private static boolean isKnown(EnumValueDescriptor value) {
    return value.getType().findValueByNumber(value.getNumber()) != null;
  }

  private static Object whole(int number, Shape shape) {
    boolean fits =
        switch (shape.root()) {
          case "TINYINT" -> number == (byte) number;
          case "SMALLINT" -> number == (short) number;
          default -> true;
        };
    if (!fits) throw new DataException(SparkValues.mismatch(number, shape.text()));
    return switch (shape.root()) {
      case "TINYINT" -> (byte) number;
      case "SMALLINT" -> (short) number;
      case "BIGINT" -> (long) number;
      default -> number;
    };
  }

  private static Reader array(FieldDescriptor field, Shape shape, boolean defaults) {
    if (!shape.root().equals("ARRAY")) throw ProtobufMessages.unfit(field, shape);
    Reader element = single(field, shape.children()[0], defaults);
    return value -> {
      List<Object> elements = new ArrayList<>();
      ((List<?>) value).forEach(item -> elements.add(element.read(item)));
      return new GenericArrayData(elements.toArray());
    };
  }

  /** Of duplicate keys the last value counts. */
  private static Reader map(FieldDescriptor field, Shape shape, boolean defaults) {
    if (!shape.root().equals("MAP")) throw ProtobufMessages.unfit(field, shape);
    FieldDescriptor key = field.getMessageType().findFieldByName("key");
    FieldDescriptor value = field.getMessageType().findFieldByName("value");
    Reader keys = single(key, shape.children()[0], defaults);
    Reader values = single(value, shape.children()[1], defaults);
    return entries -> {
      Map<Object, Object> map = new LinkedHashMap<>();
      for (Object item : (List<?>) entries) {
        Message entry = (Message) item;
        map.put(keys.read(entry.getField(key)), values.read(entry.getField(value)));
      }
      return SparkValues.map(map);
    };
  }
}
