package org.compiledplan.kernel.formats.protobuf;

import java.io.Serializable;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import org.compiledplan.kernel.formats.base.DataException;
import org.compiledplan.kernel.formats.base.Shape;
import org.sparkproject.spark_core.protobuf.DescriptorProtos.FileDescriptorProto;
import org.sparkproject.spark_core.protobuf.DescriptorProtos.FileDescriptorSet;
import org.sparkproject.spark_core.protobuf.Descriptors.Descriptor;
import org.sparkproject.spark_core.protobuf.Descriptors.DescriptorValidationException;
import org.sparkproject.spark_core.protobuf.Descriptors.FieldDescriptor;
import org.sparkproject.spark_core.protobuf.Descriptors.FileDescriptor;
import org.sparkproject.spark_core.protobuf.InvalidProtocolBufferException;

/** A message type from the format's options, and the column types that its fields allow. */
public final class ProtobufMessages implements Serializable {
  /** Internal options: the full name of a type, and the files that define it. */
  static final String TYPE = "message-type";

  static final String DESCRIPTORS = "descriptors";

  private final String type;
  private final String descriptors;
  private transient Descriptor descriptor;

  ProtobufMessages(Map<String, String> options) {
    type = options.get(TYPE);
    descriptors = options.get(DESCRIPTORS);
  }

  /**
   * Checks the columns of a table.
   *
   * @throws DataException if the type lacks a field, or a column cannot hold its field
   */
  public static void check(String shape, Map<String, String> options)
      throws InvalidProtocolBufferException, DescriptorValidationException {
    Descriptor of = new ProtobufMessages(options).descriptor();
    ProtobufReaders.row(of, Shape.parse(shape), false);
    ProtobufWriters.row(of, Shape.parse(shape), "");
  }

  Descriptor descriptor() throws InvalidProtocolBufferException, DescriptorValidationException {
    if (descriptor == null) {
      Map<String, FileDescriptor> files = new LinkedHashMap<>();
      byte[] bytes = Base64.getDecoder().decode(descriptors);
      // Files follow their imports; the last one defines the message.
      for (FileDescriptorProto file : FileDescriptorSet.parseFrom(bytes).getFileList()) {
        FileDescriptor[] imported =
            file.getDependencyList().stream().map(files::get).toArray(FileDescriptor[]::new);
        FileDescriptor built = FileDescriptor.buildFrom(file, imported);
        files.put(file.getName(), built);
        descriptor = within(built);
      }
    }
    return descriptor;
  }

  /** The type in a file; the name of a nested type is prefixed by its enclosing type's. */
  private Descriptor within(FileDescriptor file) {
    String start = file.getPackage().isEmpty() ? "" : file.getPackage() + ".";
    Descriptor descriptor = null;
    for (String name :
        type.startsWith(start) ? type.substring(start.length()).split("\\.") : new String[0]) {
      descriptor =
          descriptor == null
              ? file.findMessageTypeByName(name)
              : descriptor.findNestedTypeByName(name);
      if (descriptor == null) return null;
    }
    return descriptor;
  }

  static FieldDescriptor field(Descriptor type, String name) {
    FieldDescriptor field = type.findFieldByName(name);
    if (field == null) {
      throw new DataException(
          "column " + name + ": message " + type.getFullName() + " has no such field");
    }
    return field;
  }

  static DataException unfit(FieldDescriptor field, Shape shape) {
    String type =
        field.isMapField()
            ? "map"
            : (field.isRepeated() ? "repeated " : "") + field.getType().name().toLowerCase();
    return new DataException(
        "the field %s is a %s, which no %s is".formatted(field.getFullName(), type, shape.text()));
  }

  /** Returns true if a scalar column can hold a scalar field. */
  static boolean fits(FieldDescriptor field, Shape shape) {
    return switch (field.getJavaType()) {
      case BOOLEAN -> shape.root().equals("BOOLEAN");
      case INT -> shape.root().equals("INTEGER");
      case LONG -> shape.root().equals("BIGINT");
      case FLOAT -> shape.root().equals("FLOAT");
      case DOUBLE -> shape.root().equals("DOUBLE");
      case STRING -> isText(shape);
      case BYTE_STRING -> shape.root().equals("BINARY") || shape.root().equals("VARBINARY");
      case ENUM -> isText(shape) || isWhole(shape);
      case MESSAGE -> false;
    };
  }

  static boolean isText(Shape shape) {
    return shape.root().equals("CHAR") || shape.root().equals("VARCHAR");
  }

  private static boolean isWhole(Shape shape) {
    return switch (shape.root()) {
      case "TINYINT", "SMALLINT", "INTEGER", "BIGINT" -> true;
      default -> false;
    };
  }
}
