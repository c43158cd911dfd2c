package org.compiledplan.kernel.formats.avro;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.avro.LogicalType;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericFixed;
import org.apache.avro.generic.IndexedRecord;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.ArrayBasedMapData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.compiledplan.kernel.formats.base.DataException;
import org.compiledplan.kernel.formats.base.Shape;
import org.compiledplan.kernel.formats.base.SparkValues;
import org.compiledplan.kernel.formats.json.JsonValues;

/**
 * Converts Avro values to those of a logical type, in Spark's internal form. The file's own schema
 * decides: columns are matched by name, units of times and scales of decimals are the file's.
 */
final class AvroReaders {
  private AvroReaders() {}

  /** Converts an Avro value; null stays null. */
  @FunctionalInterface
  interface Reader {
    Object read(Object datum);
  }

  /**
   * A reader of records as rows of some of a type's columns.
   *
   * @param file schema of the file
   * @param table schema of the table, of which only the nullability of columns is used
   * @param columns positions in `shape` of the output row's columns
   */
  static Reader row(Schema file, Schema table, Shape shape, int[] columns) {
    if (file.getType() != Schema.Type.RECORD) throw unfit(file, shape);
    int[] positions = new int[columns.length];
    Reader[] readers = new Reader[columns.length];
    for (int i = 0; i < columns.length; i++) {
      String name = shape.names()[columns[i]];
      Schema.Field field = file.getField(name);
      Schema declared = table.getFields().get(columns[i]).schema();
      if (field == null && !declared.isNullable()) {
        throw new DataException("the file has no column " + name + ", which is NOT NULL");
      }
      positions[i] = field == null ? -1 : field.pos();
      readers[i] =
          field == null
              ? null
              : named(name, field.schema(), declared, shape.children()[columns[i]]);
    }
    return datum -> {
      IndexedRecord record = (IndexedRecord) datum;
      Object[] values = new Object[positions.length];
      for (int i = 0; i < values.length; i++) {
        values[i] = positions[i] < 0 ? null : readers[i].read(record.get(positions[i]));
      }
      return new GenericInternalRow(values);
    };
  }

  /** A reader of records of a table's own schema as rows of all its columns. */
  static Reader record(Schema table, Shape shape) {
    return row(table, table, shape, all(shape));
  }

  private static int[] all(Shape shape) {
    return IntStream.range(0, shape.names().length).toArray();
  }

  private static Reader named(String name, Schema file, Schema table, Shape shape) {
    try {
      return reader(file, table, shape);
    } catch (DataException e) {
      throw new DataException("column " + name + ": " + e.getMessage());
    }
  }

  private static Reader reader(Schema file, Schema table, Shape shape) {
    Reader present =
        file.getType() == Schema.Type.UNION
            ? union(file, table, shape)
            : present(file, table, shape);
    return datum -> datum == null ? null : present.read(datum);
  }

  private static Reader union(Schema file, Schema table, Shape shape) {
    List<Schema> branches = file.getTypes();
    Reader[] readers = new Reader[branches.size()];
    int last = -1;
    int count = 0;
    for (int i = 0; i < readers.length; i++) {
      if (branches.get(i).getType() != Schema.Type.NULL) {
        readers[i] = present(branches.get(i), table, shape);
        last = i;
        count++;
      }
    }
    return count == 1
        ? readers[last]
        : datum -> readers[GenericData.get().resolveUnion(file, datum)].read(datum);
  }

  private static Reader present(Schema file, Schema table, Shape shape) {
    Schema.Type type = file.getType();
    if (type == Schema.Type.NULL) return datum -> null;
    return switch (shape.root()) {
      case "NULL" -> datum -> null;
      case "BOOLEAN" -> when(type == Schema.Type.BOOLEAN, file, shape, datum -> datum);
      case "TINYINT" ->
          when(type == Schema.Type.INT, file, shape, datum -> ((Integer) datum).byteValue());
      case "SMALLINT" ->
          when(type == Schema.Type.INT, file, shape, datum -> ((Integer) datum).shortValue());
      case "INTEGER" -> when(type == Schema.Type.INT, file, shape, datum -> datum);
      case "DATE" -> when(type == Schema.Type.INT, file, shape, datum -> datum);
      case "BIGINT" -> when(isWhole(type), file, shape, datum -> ((Number) datum).longValue());
      case "FLOAT" ->
          when(
              isWhole(type) || type == Schema.Type.FLOAT,
              file,
              shape,
              datum -> ((Number) datum).floatValue());
      case "DOUBLE" ->
          when(
              isWhole(type) || type == Schema.Type.FLOAT || type == Schema.Type.DOUBLE,
              file,
              shape,
              datum -> ((Number) datum).doubleValue());
      case "CHAR", "VARCHAR" -> text(file, shape);
      case "BINARY", "VARBINARY" ->
          when(isBytes(type) || type == Schema.Type.STRING, file, shape, AvroReaders::bytes);
      case "DECIMAL" -> decimal(file, shape);
      case "TIME_WITHOUT_TIME_ZONE" -> time(file, shape);
      case "TIMESTAMP_WITHOUT_TIME_ZONE", "TIMESTAMP_WITH_LOCAL_TIME_ZONE" ->
          timestamp(file, shape);
      case "ARRAY" -> array(file, table, shape);
      case "MAP" -> map(file, table, shape.children()[1], shape);
      case "MULTISET" -> map(file, table, JsonValues.COUNT, shape);
      case "ROW", "STRUCTURED_TYPE" -> row(file, declared(table), shape, all(shape));
      default -> throw unfit(file, shape);
    };
  }

  private static boolean isWhole(Schema.Type type) {
    return type == Schema.Type.INT || type == Schema.Type.LONG;
  }

  private static boolean isBytes(Schema.Type type) {
    return type == Schema.Type.BYTES || type == Schema.Type.FIXED;
  }

  private static Reader when(boolean fits, Schema file, Shape shape, Reader reader) {
    if (!fits) throw unfit(file, shape);
    return reader;
  }

  private static DataException unfit(Schema file, Shape shape) {
    LogicalType logical = file.getLogicalType();
    String name =
        file.getType().getName() + (logical == null ? "" : " (" + logical.getName() + ")");
    return new DataException("Avro's " + name + " cannot be read as " + shape.text());
  }

  private static Reader text(Schema file, Shape shape) {
    return switch (file.getType()) {
      case STRING, ENUM -> datum -> SparkValues.text(datum.toString());
      case BYTES -> datum -> SparkValues.text(new String(bytes(datum), StandardCharsets.UTF_8));
      default -> throw unfit(file, shape);
    };
  }

  private static byte[] bytes(Object datum) {
    if (datum instanceof GenericFixed fixed) return fixed.bytes();
    if (datum instanceof ByteBuffer buffer) {
      byte[] copy = new byte[buffer.remaining()];
      buffer.duplicate().get(copy);
      return copy;
    }
    return datum.toString().getBytes(StandardCharsets.UTF_8);
  }

  private static Reader decimal(Schema file, Shape shape) {
    int scale =
        file.getLogicalType() instanceof LogicalTypes.Decimal declared
            ? declared.getScale()
            : shape.scale();
    return when(
        isBytes(file.getType()),
        file,
        shape,
        datum ->
            SparkValues.decimal(
                new BigDecimal(new BigInteger(bytes(datum)), scale),
                shape.precision(),
                shape.scale()));
  }

  private static Reader time(Schema file, Shape shape) {
    if (file.getType() == Schema.Type.LONG) return datum -> (int) ((Long) datum / 1000L);
    return when(file.getType() == Schema.Type.INT, file, shape, datum -> datum);
  }

  private static Reader timestamp(Schema file, Shape shape) {
    if (file.getType() != Schema.Type.LONG) throw unfit(file, shape);
    String unit = file.getLogicalType() == null ? "millis" : file.getLogicalType().getName();
    if (unit.endsWith("micros")) return datum -> datum;
    if (unit.endsWith("nanos")) return datum -> Math.floorDiv((Long) datum, 1000L);
    return datum -> Math.multiplyExact((Long) datum, 1000L);
  }

  private static Reader array(Schema file, Schema table, Shape shape) {
    if (file.getType() != Schema.Type.ARRAY) throw unfit(file, shape);
    Reader element =
        reader(file.getElementType(), declared(table).getElementType(), shape.children()[0]);
    return datum -> {
      List<?> list = (List<?>) datum;
      List<Object> values = new ArrayList<>(list.size());
      list.forEach(item -> values.add(element.read(item)));
      return new GenericArrayData(values.toArray());
    };
  }

  private static Reader map(Schema file, Schema table, Shape value, Shape shape) {
    if (file.getType() != Schema.Type.MAP) throw unfit(file, shape);
    Reader reader = reader(file.getValueType(), declared(table).getValueType(), value);
    return datum -> {
      List<Object> keys = new ArrayList<>();
      List<Object> values = new ArrayList<>();
      for (Map.Entry<?, ?> entry : ((Map<?, ?>) datum).entrySet()) {
        keys.add(SparkValues.text(entry.getKey().toString()));
        values.add(reader.read(entry.getValue()));
      }
      return new ArrayBasedMapData(
          new GenericArrayData(keys.toArray()), new GenericArrayData(values.toArray()));
    };
  }

  /** The non-null branch of a nullable type. */
  static Schema declared(Schema table) {
    if (table.getType() != Schema.Type.UNION) return table;
    return table.getTypes().stream()
        .filter(branch -> branch.getType() != Schema.Type.NULL)
        .findFirst()
        .orElseThrow();
  }
}
