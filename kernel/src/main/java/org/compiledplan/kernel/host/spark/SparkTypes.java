package org.compiledplan.kernel.host.spark;

import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.apache.spark.sql.catalyst.CatalystTypeConverters;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.catalyst.util.ArrayBasedMapData;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.DateTimeUtils;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.catalyst.util.MapData;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;
import org.compiledplan.kernel.values.Struct;
import org.compiledplan.kernel.values.Texts;
import org.compiledplan.kernel.values.ValueType;
import org.compiledplan.kernel.values.ValueType.Kind;
import scala.Function1;

/** Conversions between Spark's types and internal values and the kernel's. */
public final class SparkTypes {
  private SparkTypes() {}

  public static ValueType[] fields(StructType schema) {
    ValueType[] types = new ValueType[schema.length()];
    for (int i = 0; i < types.length; i++) types[i] = valueType(schema.apply(i).dataType());
    return types;
  }

  static ValueType valueType(DataType type) {
    if (type instanceof DecimalType) {
      return ValueType.decimal(((DecimalType) type).precision(), ((DecimalType) type).scale());
    }
    if (type instanceof StructType) return ValueType.nested(Kind.ROW, fields((StructType) type));
    if (type instanceof ArrayType) {
      return ValueType.nested(Kind.ARRAY, valueType(((ArrayType) type).elementType()));
    }
    if (type instanceof MapType map) {
      return ValueType.nested(Kind.MAP, valueType(map.keyType()), valueType(map.valueType()));
    }
    return ValueType.of(kind(type));
  }

  private static Kind kind(DataType type) {
    if (type instanceof DecimalType) return Kind.DECIMAL;
    String name = type.typeName();
    return switch (name) {
      case "boolean" -> Kind.BOOLEAN;
      case "byte", "tinyint" -> Kind.BYTE;
      case "short", "smallint" -> Kind.SHORT;
      case "integer", "int" -> Kind.INT;
      case "long", "bigint" -> Kind.LONG;
      case "float" -> Kind.FLOAT;
      case "double" -> Kind.DOUBLE;
      case "void" -> Kind.STRING;
      case "binary" -> Kind.BINARY;
      case "date" -> Kind.DATE;
      case "timestamp" -> Kind.TIMESTAMP;
      case "timestamp_ntz" -> Kind.TIMESTAMP_NTZ;
      default -> {
        if (name.startsWith("char") || name.startsWith("varchar") || name.startsWith("string"))
          yield Kind.STRING;
        if (name.startsWith("time(")) yield Kind.TIME;
        if (name.startsWith("interval year") || name.startsWith("interval month"))
          yield Kind.YEAR_MONTH;
        if (name.startsWith("interval ")) yield Kind.DAY_TIME;
        throw new IllegalArgumentException(
            "columns of type " + name + " cannot pass a stage's operators");
      }
    };
  }

  /** Spark's type for a kernel type; fields of rows get generated names. */
  public static DataType dataType(ValueType type) {
    DataType[] inner =
        Arrays.stream(type.children()).map(SparkTypes::dataType).toArray(DataType[]::new);
    return switch (type.kind()) {
      case DECIMAL -> DataTypes.createDecimalType(type.precision(), type.scale());
      case ROW -> {
        StructType row = new StructType();
        for (int i = 0; i < inner.length; i++) row = row.add("f" + i, inner[i]);
        yield row;
      }
      case ARRAY -> DataTypes.createArrayType(inner[0], true);
      case MAP -> DataTypes.createMapType(inner[0], inner[1], true);
      default -> DataType.fromDDL(DDL.getOrDefault(type.kind(), type.kind().name()));
    };
  }

  private static final Map<Kind, String> DDL =
      Map.of(
          Kind.BYTE, "TINYINT",
          Kind.SHORT, "SMALLINT",
          Kind.LONG, "BIGINT",
          Kind.TIME, "TIME(6)",
          Kind.DAY_TIME, "INTERVAL DAY TO SECOND",
          Kind.YEAR_MONTH, "INTERVAL YEAR TO MONTH");

  /** The same type with everything nullable. */
  public static DataType nullable(DataType type) {
    if (type instanceof StructType) {
      StructField[] fields = ((StructType) type).fields();
      StructField[] free = new StructField[fields.length];
      for (int i = 0; i < fields.length; i++) {
        free[i] =
            DataTypes.createStructField(fields[i].name(), nullable(fields[i].dataType()), true);
      }
      return DataTypes.createStructType(free);
    }
    if (type instanceof ArrayType) {
      return DataTypes.createArrayType(nullable(((ArrayType) type).elementType()), true);
    }
    if (type instanceof MapType map) {
      return DataTypes.createMapType(nullable(map.keyType()), nullable(map.valueType()), true);
    }
    return type;
  }

  /** Reads the kernel's value at a position that is not null. */
  @FunctionalInterface
  public interface Reader {
    Object read(SpecializedGetters values, int at);
  }

  /** Readers of the fields of Spark's internal rows. */
  public static Reader[] fromSpark(StructType schema) {
    return Arrays.stream(schema.fields())
        .map(field -> fromSpark(field.dataType()))
        .toArray(Reader[]::new);
  }

  private static Reader fromSpark(DataType type) {
    if (type instanceof StructType) {
      Reader[] fields = fromSpark((StructType) type);
      return (values, at) -> new Struct(values(values.getStruct(at, fields.length), fields));
    }
    if (type instanceof ArrayType) {
      Reader element = fromSpark(((ArrayType) type).elementType());
      return (values, at) -> list(values.getArray(at), element);
    }
    if (type instanceof MapType) {
      Reader key = fromSpark(((MapType) type).keyType());
      Reader item = fromSpark(((MapType) type).valueType());
      return (values, at) -> map(values.getMap(at), key, item);
    }
    return switch (kind(type)) {
      case BOOLEAN -> SpecializedGetters::getBoolean;
      case BYTE -> SpecializedGetters::getByte;
      case SHORT -> SpecializedGetters::getShort;
      case INT -> SpecializedGetters::getInt;
      case LONG -> SpecializedGetters::getLong;
      case FLOAT -> SpecializedGetters::getFloat;
      case DOUBLE -> SpecializedGetters::getDouble;
      case STRING -> (values, at) -> text(values.getUTF8String(at));
      case BINARY -> SpecializedGetters::getBinary;
      case DATE -> (values, at) -> DateTimeUtils.daysToLocalDate(values.getInt(at));
      case TIMESTAMP -> (values, at) -> DateTimeUtils.microsToInstant(values.getLong(at));
      case TIMESTAMP_NTZ -> (values, at) -> DateTimeUtils.microsToLocalDateTime(values.getLong(at));
      default -> {
        Function1<Object, Object> converter = CatalystTypeConverters.createToScalaConverter(type);
        yield (values, at) -> converter.apply(values.get(at, type));
      }
    };
  }

  private static String text(UTF8String value) {
    byte[] bytes = value.getBytes();
    return Texts.of(bytes, 0, bytes.length);
  }

  private static List<Object> list(ArrayData array, Reader element) {
    List<Object> list = new ArrayList<>(array.numElements());
    for (int i = 0; i < array.numElements(); i++)
      list.add(array.isNullAt(i) ? null : element.read(array, i));
    return list;
  }

  private static Map<Object, Object> map(MapData entries, Reader key, Reader item) {
    Map<Object, Object> map = new LinkedHashMap<>();
    ArrayData keys = entries.keyArray();
    ArrayData items = entries.valueArray();
    for (int i = 0; i < keys.numElements(); i++) {
      map.put(key.read(keys, i), items.isNullAt(i) ? null : item.read(items, i));
    }
    return map;
  }

  public static Object[] values(InternalRow row, Reader[] readers) {
    Object[] values = new Object[readers.length];
    for (int i = 0; i < values.length; i++)
      values[i] = row.isNullAt(i) ? null : readers[i].read(row, i);
    return values;
  }

  /**
   * Converters from the kernel's values to Spark's internal ones, null if the value is the same.
   */
  public static List<UnaryOperator<Object>> toSpark(StructType schema) {
    List<UnaryOperator<Object>> converters = new ArrayList<>();
    for (StructField field : schema.fields()) converters.add(toSpark(field.dataType()));
    return converters;
  }

  private static UnaryOperator<Object> toSpark(DataType type) {
    if (type instanceof StructType) {
      List<UnaryOperator<Object>> fields = toSpark((StructType) type);
      return value -> row(((Struct) value).fields(), fields);
    }
    if (type instanceof ArrayType) {
      UnaryOperator<Object> element = toSpark(((ArrayType) type).elementType());
      return value -> array((List<?>) value, element);
    }
    if (type instanceof MapType) {
      UnaryOperator<Object> key = toSpark(((MapType) type).keyType());
      UnaryOperator<Object> item = toSpark(((MapType) type).valueType());
      return value ->
          new ArrayBasedMapData(
              array(((Map<?, ?>) value).keySet(), key), array(((Map<?, ?>) value).values(), item));
    }
    return switch (kind(type)) {
      case BOOLEAN, BYTE, SHORT, INT, LONG, FLOAT, DOUBLE, BINARY -> null;
      case STRING -> value -> UTF8String.fromBytes(Texts.bytes((String) value));
      case DATE -> value -> DateTimeUtils.localDateToDays((LocalDate) value);
      case TIMESTAMP -> value -> DateTimeUtils.instantToMicros((Instant) value);
      case TIMESTAMP_NTZ -> value -> DateTimeUtils.localDateTimeToMicros((LocalDateTime) value);
      default -> CatalystTypeConverters.createToCatalystConverter(type)::apply;
    };
  }

  private static ArrayData array(Collection<?> values, UnaryOperator<Object> element) {
    return new GenericArrayData(values.stream().map(item -> apply(element, item)).toArray());
  }

  public static InternalRow row(Object[] values, List<UnaryOperator<Object>> converters) {
    Object[] converted = values;
    for (int i = 0; i < values.length; i++) {
      UnaryOperator<Object> converter = converters.get(i);
      if (converter == null || values[i] == null) continue;
      if (converted == values) converted = values.clone();
      converted[i] = converter.apply(values[i]);
    }
    return new GenericInternalRow(converted);
  }

  public static Object apply(UnaryOperator<Object> converter, Object value) {
    return converter == null || value == null ? value : converter.apply(value);
  }
}
