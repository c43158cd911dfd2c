package org.compiledplan.kernel;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.expressions.GenericRow;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.compiledplan.kernel.values.Struct;
import org.compiledplan.kernel.values.ValueType;
import org.compiledplan.kernel.values.ValueType.Kind;
import scala.jdk.javaapi.CollectionConverters;

/** Spark's types and row values to those of the kernel and back. */
final class SparkTypes {
  private SparkTypes() {}

  static ValueType[] fields(StructType schema) {
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
    if (type instanceof MapType) {
      MapType map = (MapType) type;
      return ValueType.nested(Kind.MAP, valueType(map.keyType()), valueType(map.valueType()));
    }
    return ValueType.of(kind(type));
  }

  private static Kind kind(DataType type) {
    String name = type.typeName();
    switch (name) {
      case "boolean": return Kind.BOOLEAN;
      case "byte": case "tinyint": return Kind.BYTE;
      case "short": case "smallint": return Kind.SHORT;
      case "integer": case "int": return Kind.INT;
      case "long": case "bigint": return Kind.LONG;
      case "float": return Kind.FLOAT;
      case "double": return Kind.DOUBLE;
      case "string": case "void": return Kind.STRING;
      case "binary": return Kind.BINARY;
      case "date": return Kind.DATE;
      case "timestamp": return Kind.TIMESTAMP;
      case "timestamp_ntz": return Kind.TIMESTAMP_NTZ;
      default:
        if (name.startsWith("char") || name.startsWith("varchar") || name.startsWith("string")) return Kind.STRING;
        if (name.startsWith("time(")) return Kind.TIME;
        if (name.startsWith("interval year") || name.startsWith("interval month")) return Kind.YEAR_MONTH;
        if (name.startsWith("interval ")) return Kind.DAY_TIME;
        throw new IllegalArgumentException("columns of type " + name + " cannot pass a stage's operators");
    }
  }

  /** The same type with everything in it nullable. */
  static DataType nullable(DataType type) {
    if (type instanceof StructType) {
      StructField[] fields = ((StructType) type).fields();
      StructField[] free = new StructField[fields.length];
      for (int i = 0; i < fields.length; i++) {
        free[i] = DataTypes.createStructField(fields[i].name(), nullable(fields[i].dataType()), true);
      }
      return DataTypes.createStructType(free);
    }
    if (type instanceof ArrayType) {
      return DataTypes.createArrayType(nullable(((ArrayType) type).elementType()), true);
    }
    if (type instanceof MapType) {
      MapType map = (MapType) type;
      return DataTypes.createMapType(nullable(map.keyType()), nullable(map.valueType()), true);
    }
    return type;
  }

  /** Converters from Spark's row values to the kernel's, null where the value is the same. */
  static List<UnaryOperator<Object>> fromSpark(StructType schema) {
    List<UnaryOperator<Object>> converters = new ArrayList<>();
    for (StructField field : schema.fields()) converters.add(fromSpark(field.dataType()));
    return converters;
  }

  private static UnaryOperator<Object> fromSpark(DataType type) {
    if (type instanceof StructType) {
      List<UnaryOperator<Object>> fields = fromSpark((StructType) type);
      return value -> new Struct(values((Row) value, fields));
    }
    if (type instanceof ArrayType) {
      UnaryOperator<Object> element = fromSpark(((ArrayType) type).elementType());
      return value -> {
        List<Object> list = new ArrayList<>();
        for (Object item : CollectionConverters.asJava((scala.collection.Seq<?>) value)) {
          list.add(apply(element, item));
        }
        return list;
      };
    }
    if (type instanceof MapType) {
      UnaryOperator<Object> key = fromSpark(((MapType) type).keyType());
      UnaryOperator<Object> item = fromSpark(((MapType) type).valueType());
      return value -> {
        Map<Object, Object> map = new LinkedHashMap<>();
        for (Map.Entry<?, ?> entry
            : CollectionConverters.asJava((scala.collection.Map<?, ?>) value).entrySet()) {
          map.put(apply(key, entry.getKey()), apply(item, entry.getValue()));
        }
        return map;
      };
    }
    return null;
  }

  /** Converters from the kernel's values to Spark's row values, null where the value is the same. */
  static List<UnaryOperator<Object>> toSpark(StructType schema) {
    List<UnaryOperator<Object>> converters = new ArrayList<>();
    for (StructField field : schema.fields()) converters.add(toSpark(field.dataType()));
    return converters;
  }

  private static UnaryOperator<Object> toSpark(DataType type) {
    if (type instanceof StructType) {
      List<UnaryOperator<Object>> fields = toSpark((StructType) type);
      return value -> row(((Struct) value).fields, fields);
    }
    if (type instanceof ArrayType) {
      UnaryOperator<Object> element = toSpark(((ArrayType) type).elementType());
      return value -> {
        List<Object> list = new ArrayList<>();
        for (Object item : (List<?>) value) list.add(apply(element, item));
        return CollectionConverters.asScala(list).toSeq();
      };
    }
    if (type instanceof MapType) {
      UnaryOperator<Object> key = toSpark(((MapType) type).keyType());
      UnaryOperator<Object> item = toSpark(((MapType) type).valueType());
      return value -> {
        Map<Object, Object> map = new LinkedHashMap<>();
        for (Map.Entry<?, ?> entry : ((Map<?, ?>) value).entrySet()) {
          map.put(apply(key, entry.getKey()), apply(item, entry.getValue()));
        }
        return CollectionConverters.asScala(map);
      };
    }
    return null;
  }

  static Object[] values(Row row, List<UnaryOperator<Object>> converters) {
    Object[] values = new Object[converters.size()];
    for (int i = 0; i < values.length; i++) values[i] = apply(converters.get(i), row.get(i));
    return values;
  }

  static Row row(Object[] values, List<UnaryOperator<Object>> converters) {
    Object[] converted = values;
    for (int i = 0; i < values.length; i++) {
      UnaryOperator<Object> converter = converters.get(i);
      if (converter == null || values[i] == null) continue;
      if (converted == values) converted = values.clone();
      converted[i] = converter.apply(values[i]);
    }
    return new GenericRow(converted);
  }

  private static Object apply(UnaryOperator<Object> converter, Object value) {
    return converter == null || value == null ? value : converter.apply(value);
  }
}
