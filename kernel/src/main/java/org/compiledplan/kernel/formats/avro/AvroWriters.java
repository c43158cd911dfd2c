package org.compiledplan.kernel.formats.avro;

import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.catalyst.util.MapData;
import org.compiledplan.kernel.formats.base.DataException;
import org.compiledplan.kernel.formats.base.Shape;
import org.compiledplan.kernel.formats.base.SparkValues;
import org.compiledplan.kernel.formats.base.SparkValues.Getter;
import org.compiledplan.kernel.formats.json.JsonValues;

/** Converts values of a logical type, in Spark's internal form, to Avro values. */
final class AvroWriters {
  private AvroWriters() {}

  @FunctionalInterface
  interface RowWriter {
    Object write(InternalRow row);
  }

  static RowWriter row(Schema schema, Shape shape) {
    Getter[] writers = new Getter[shape.names().length];
    for (int i = 0; i < writers.length; i++) {
      writers[i] = writer(schema.getFields().get(i).schema(), shape.children()[i]);
    }
    return row -> {
      GenericData.Record record = new GenericData.Record(schema);
      for (int i = 0; i < writers.length; i++) {
        if (!row.isNullAt(i)) {
          record.put(i, writers[i].get(row, i));
        } else if (!schema.getFields().get(i).schema().isNullable()) {
          throw new DataException("column " + shape.names()[i] + " is NOT NULL and has a null");
        }
      }
      return record;
    };
  }

  private static Getter writer(Schema nullable, Shape shape) {
    if (shape.root().equals("NULL")) return (values, i) -> null;
    Schema schema = AvroReaders.declared(nullable);
    return switch (shape.root()) {
      case "BOOLEAN" -> SpecializedGetters::getBoolean;
      case "TINYINT" -> (values, i) -> (int) values.getByte(i);
      case "SMALLINT" -> (values, i) -> (int) values.getShort(i);
      case "INTEGER", "DATE", "TIME_WITHOUT_TIME_ZONE" -> SpecializedGetters::getInt;
      case "BIGINT" -> SpecializedGetters::getLong;
      case "FLOAT" -> SpecializedGetters::getFloat;
      case "DOUBLE" -> SpecializedGetters::getDouble;
      case "CHAR", "VARCHAR" -> (values, i) -> values.getUTF8String(i).toString();
      case "BINARY", "VARBINARY" -> (values, i) -> ByteBuffer.wrap(values.getBinary(i));
      case "DECIMAL" ->
          (values, i) -> {
            BigDecimal value =
                values.getDecimal(i, shape.precision(), shape.scale()).toJavaBigDecimal();
            return ByteBuffer.wrap(value.setScale(shape.scale()).unscaledValue().toByteArray());
          };
      case "TIMESTAMP_WITHOUT_TIME_ZONE", "TIMESTAMP_WITH_LOCAL_TIME_ZONE" -> timestamp(schema);
      case "ARRAY" -> array(schema, shape);
      case "MAP" -> map(schema, shape.children()[1]);
      case "MULTISET" -> map(schema, JsonValues.COUNT);
      case "ROW", "STRUCTURED_TYPE" -> {
        RowWriter row = row(schema, shape);
        int size = shape.children().length;
        yield (values, i) -> row.write(values.getStruct(i, size));
      }
      default ->
          throw new IllegalArgumentException("Avro does not hold values of type " + shape.text());
    };
  }

  private static Getter timestamp(Schema schema) {
    String unit = schema.getLogicalType().getName();
    if (unit.endsWith("micros")) return SpecializedGetters::getLong;
    if (unit.endsWith("nanos")) return (values, i) -> Math.multiplyExact(values.getLong(i), 1000L);
    return (values, i) -> Math.floorDiv(values.getLong(i), 1000L);
  }

  private static Getter array(Schema schema, Shape shape) {
    Getter element = writer(schema.getElementType(), shape.children()[0]);
    return (values, i) -> SparkValues.list(values.getArray(i), element, null);
  }

  private static Getter map(Schema schema, Shape value) {
    Getter writer = writer(schema.getValueType(), value);
    return (values, i) -> {
      MapData data = values.getMap(i);
      List<Object> items = SparkValues.list(data.valueArray(), writer, null);
      Map<String, Object> map = new LinkedHashMap<>();
      for (int k = 0; k < items.size(); k++) {
        if (data.keyArray().isNullAt(k)) {
          throw new DataException("a map with a null key cannot be written as Avro");
        }
        map.put(data.keyArray().getUTF8String(k).toString(), items.get(k));
      }
      return map;
    };
  }
}
