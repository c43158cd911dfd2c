package org.compiledplan.kernel.formats.protobuf;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.catalyst.util.MapData;
import org.compiledplan.kernel.formats.base.Shape;
import org.compiledplan.kernel.formats.base.SparkValues;
import org.compiledplan.kernel.formats.base.SparkValues.Getter;
import org.sparkproject.spark_core.protobuf.ByteString;
import org.sparkproject.spark_core.protobuf.Descriptors.Descriptor;
import org.sparkproject.spark_core.protobuf.Descriptors.EnumDescriptor;
import org.sparkproject.spark_core.protobuf.Descriptors.EnumValueDescriptor;
import org.sparkproject.spark_core.protobuf.Descriptors.FieldDescriptor;
import org.sparkproject.spark_core.protobuf.DynamicMessage;
import org.sparkproject.spark_core.protobuf.Message;

/** Converts values of a logical type, in Spark's internal form, to Protocol Buffers values. */
final class ProtobufWriters {
  private ProtobufWriters() {}

  @FunctionalInterface
  interface RowWriter {
    Message write(InternalRow row);
  }

  /**
   * A writer of rows as messages; fields are matched with columns by name; null is an absent field.
   *
   * @param nullText replacement for a null text in arrays and maps
   */
  static RowWriter row(Descriptor type, Shape shape, String nullText) {
    int width = shape.names().length;
    FieldDescriptor[] fields = new FieldDescriptor[width];
    Getter[] writers = new Getter[width];
    for (int i = 0; i < width; i++) {
      fields[i] = ProtobufMessages.field(type, shape.names()[i]);
      writers[i] = writer(fields[i], shape.children()[i], nullText);
    }
    return row -> {
      DynamicMessage.Builder message = DynamicMessage.newBuilder(type);
      for (int i = 0; i < width; i++) {
        if (!row.isNullAt(i)) message.setField(fields[i], writers[i].get(row, i));
      }
      return message.build();
    };
  }

  private static Getter writer(FieldDescriptor field, Shape shape, String nullText) {
    return field.isMapField()
        ? map(field, shape, nullText)
        : field.isRepeated() ? array(field, shape, nullText) : single(field, shape, nullText);
  }

  private static Getter single(FieldDescriptor field, Shape shape, String nullText) {
    return switch (field.getJavaType()) {
      case BOOLEAN -> SpecializedGetters::getBoolean;
      case INT -> SpecializedGetters::getInt;
      case LONG -> SpecializedGetters::getLong;
      case FLOAT -> SpecializedGetters::getFloat;
      case DOUBLE -> SpecializedGetters::getDouble;
      case STRING -> (values, i) -> values.getUTF8String(i).toString();
      case BYTE_STRING -> (values, i) -> ByteString.copyFrom(values.getBinary(i));
      case ENUM -> enumeration(field.getEnumType(), shape);
      case MESSAGE -> {
        RowWriter row = row(field.getMessageType(), shape, nullText);
        int size = shape.children().length;
        yield (values, i) -> row.write(values.getStruct(i, size));
      }
    };
  }

  /** An unknown name or number becomes the first value of the type, as in Flink. */
  private static Getter enumeration(EnumDescriptor type, Shape shape) {
    if (ProtobufMessages.isText(shape)) {
      return (values, i) -> orFirst(type, type.findValueByName(values.getUTF8String(i).toString()));
    }
    return (values, i) -> {
      int number =
          switch (shape.root()) {
            case "TINYINT" -> values.getByte(i);
            case "SMALLINT" -> values.getShort(i);
            case "BIGINT" -> (int) values.getLong(i);
            default -> values.getInt(i);
          };
      return orFirst(type, type.findValueByNumber(number));
    };
  }

  private static EnumValueDescriptor orFirst(EnumDescriptor type, EnumValueDescriptor constant) {
    return constant == null ? type.getValues().get(0) : constant;
  }

  private static Getter array(FieldDescriptor field, Shape shape, String nullText) {
    Getter element = single(field, shape.children()[0], nullText);
    Object missing = missing(field, nullText);
    return (values, i) -> SparkValues.list(values.getArray(i), element, missing);
  }

  private static Getter map(FieldDescriptor field, Shape shape, String nullText) {
    Descriptor type = field.getMessageType();
    FieldDescriptor key = type.findFieldByName("key");
    FieldDescriptor value = type.findFieldByName("value");
    Getter keys = single(key, shape.children()[0], nullText);
    Getter items = single(value, shape.children()[1], nullText);
    Object noKey = missing(key, nullText);
    Object noValue = missing(value, nullText);
    return (values, i) -> {
      MapData map = values.getMap(i);
      List<Object> names = SparkValues.list(map.keyArray(), keys, noKey);
      List<Object> contents = SparkValues.list(map.valueArray(), items, noValue);
      Map<Object, Object> entries = new LinkedHashMap<>();
      for (int k = 0; k < names.size(); k++) entries.put(names.get(k), contents.get(k));
      List<Message> messages = new ArrayList<>(entries.size());
      entries.forEach(
          (name, content) ->
              messages.add(
                  DynamicMessage.newBuilder(type)
                      .setField(key, name)
                      .setField(value, content)
                      .build()));
      return messages;
    };
  }

  /** Replacement for null in an array or a map, which allow none. */
  private static Object missing(FieldDescriptor field, String nullText) {
    return switch (field.getJavaType()) {
      case BOOLEAN -> false;
      case INT -> 0;
      case LONG -> 0L;
      case FLOAT -> 0f;
      case DOUBLE -> 0d;
      case STRING -> nullText;
      case BYTE_STRING -> ByteString.EMPTY;
      case ENUM -> field.getEnumType().getValues().get(0);
      case MESSAGE -> DynamicMessage.getDefaultInstance(field.getMessageType());
    };
  }
}
