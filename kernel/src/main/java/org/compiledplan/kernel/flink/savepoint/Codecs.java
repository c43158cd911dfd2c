package org.compiledplan.kernel.flink.savepoint;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.ListSerializer;
import org.apache.flink.api.java.tuple.Tuple;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.api.java.typeutils.runtime.TupleSerializer;
import org.apache.flink.table.api.dataview.MapView;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.GenericArrayData;
import org.apache.flink.table.data.GenericMapData;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RawValueData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.dataview.NullSerializer;
import org.apache.flink.table.runtime.typeutils.ExternalSerializer;
import org.apache.flink.table.runtime.typeutils.InternalSerializers;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.logical.DecimalType;
import org.apache.flink.table.types.logical.IntType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.LogicalTypeRoot;
import org.apache.flink.table.types.logical.RawType;
import org.apache.flink.table.types.logical.utils.LogicalTypeParser;
import org.apache.flink.types.RowKind;
import org.apache.flink.types.bitmap.Bitmap;
import org.apache.flink.types.variant.BinaryVariant;

/**
 * Flink's serializers for the types of the neutral form, and the values in it: see {@link Forms}.
 */
final class Codecs {
  private static final LogicalType VIEW = view(MapView.class);

  private Codecs() {}

  /** The type of a view in an accumulator, whose content is a state of its own. */
  @SuppressWarnings({"unchecked", "rawtypes"}) // A serializer of nulls serves any class.
  static LogicalType view(Class<?> type) {
    return new RawType(type, NullSerializer.INSTANCE);
  }

  /** The codec of a type. */
  static Codec of(JsonNode type) throws Refusal {
    if (type.isTextual()) {
      return ofColumn(column(type));
    }
    if (type.has("row")) {
      List<LogicalType> columns = new ArrayList<>();
      for (JsonNode column : type.get("row")) columns.add(column(column));
      LogicalType[] types = columns.toArray(new LogicalType[0]);
      return new Codec(
          StateForm.general(new RowDataSerializer(types)), null, json -> row(json, types));
    }
    if (type.has("tuple")) {
      return pair(of(type.get("tuple").get(0)), of(type.get("tuple").get(1)));
    }
    if (type.has("list")) {
      Codec element = of(type.get("list"));
      return new Codec(
          StateForm.general(new ListSerializer<>(element.serializer())),
          null,
          json -> {
            List<Object> list = new ArrayList<>();
            for (JsonNode item : json) list.add(element.read(item));
            return list;
          });
    }
    if (type.has("sortedMap")) {
      return SortedMaps.codec(type.get("sortedMap"));
    }
    if (type.has("external")) {
      return external(AggregateTypes.external(type.get("external")));
    }
    if (type.has("view")) {
      return external(AggregateTypes.view(type.get("view")));
    }
    throw new Refusal("the type " + type + " cannot be written", "", "");
  }

  /** The type of a column. */
  static LogicalType column(JsonNode type) throws Refusal {
    if (type.isTextual()) {
      return type.asText().equals("VOID") ? VIEW : parsed(type.asText());
    }
    if (type.has("accumulator")) {
      return AggregateTypes.accumulator(type.get("accumulator"));
    }
    throw new Refusal("a column of the type " + type + " cannot be written", "", "");
  }

  static LogicalType parsed(String text) {
    return LogicalTypeParser.parse(text, Codecs.class.getClassLoader());
  }

  private static Codec ofColumn(LogicalType type) {
    return new Codec(
        StateForm.general(InternalSerializers.create(type)), type, json -> value(json, type));
  }

  private static Codec pair(Codec first, Codec second) {
    TypeSerializer<?>[] fields = {first.serializer(), second.serializer()};
    @SuppressWarnings({"unchecked", "rawtypes"})
    TypeSerializer<Object> serializer = (TypeSerializer) new TupleSerializer(Tuple2.class, fields);
    return new Codec(
        serializer, null, json -> Tuple2.of(first.read(json.path(0)), second.read(json.path(1))));
  }

  /** The codec of elements of views: their serializer converts from internal data. */
  private static Codec external(DataType type) {
    LogicalType logical = type.getLogicalType();
    ExternalSerializer<Object, Object> serializer = ExternalSerializer.of(type);
    return new Codec(
        StateForm.general(serializer),
        logical,
        json -> AggregateTypes.toExternal(type, value(json, logical)));
  }

  /** Sets the kind of a row, or of the row at the start of a tuple. */
  static void kind(Object value, RowKind kind) {
    Object first = value instanceof Tuple tuple ? tuple.getField(0) : value;
    if (first instanceof GenericRowData row) row.setRowKind(kind);
  }

  /** Internal data of Flink's table runtime. */
  static Object value(JsonNode json, LogicalType type) throws IOException {
    if (json == null || json.isNull()) {
      // A view is a value that its serializer writes as null.
      return type instanceof RawType ? RawValueData.fromBytes(new byte[] {0}) : null;
    }
    return switch (type.getTypeRoot()) {
      case BOOLEAN -> json.booleanValue();
      case CHAR, VARCHAR -> StringData.fromString(json.asText());
      case TINYINT -> (byte) json.intValue();
      case SMALLINT -> (short) json.intValue();
      case INTEGER, DATE, TIME_WITHOUT_TIME_ZONE, INTERVAL_YEAR_MONTH -> json.intValue();
      case BIGINT, INTERVAL_DAY_TIME -> json.longValue();
      case FLOAT -> json.isTextual() ? Float.parseFloat(json.asText()) : json.floatValue();
      case DOUBLE -> json.isTextual() ? Double.parseDouble(json.asText()) : json.doubleValue();
      case DECIMAL -> decimal(json, (DecimalType) type);
      case TIMESTAMP_WITHOUT_TIME_ZONE, TIMESTAMP_WITH_LOCAL_TIME_ZONE ->
          TimestampData.fromEpochMillis(json.path(0).longValue(), json.path(1).intValue());
      case BINARY, VARBINARY -> json.binaryValue();
      case BITMAP -> Bitmap.fromBytes(json.binaryValue());
      case VARIANT -> new BinaryVariant(json.get(0).binaryValue(), json.get(1).binaryValue());
      case ARRAY -> array(json, type.getChildren().get(0));
      case MAP -> map(json, type.getChildren().get(0), type.getChildren().get(1));
      case MULTISET -> map(json, type.getChildren().get(0), new IntType(false));
      case ROW, STRUCTURED_TYPE -> row(json, type.getChildren().toArray(new LogicalType[0]));
      default -> throw new IOException("values of type " + type + " cannot be written");
    };
  }

  private static DecimalData decimal(JsonNode json, DecimalType type) {
    return DecimalData.fromBigDecimal(
        new BigDecimal(json.asText()), type.getPrecision(), type.getScale());
  }

  private static GenericArrayData array(JsonNode json, LogicalType element) throws IOException {
    if (element.getTypeRoot() == LogicalTypeRoot.BIGINT && !element.isNullable()) {
      long[] numbers = new long[json.size()];
      for (int at = 0; at < numbers.length; at++) numbers[at] = json.get(at).longValue();
      return new GenericArrayData(numbers);
    }
    Object[] items = new Object[json.size()];
    for (int at = 0; at < items.length; at++) items[at] = value(json.get(at), element);
    return new GenericArrayData(items);
  }

  private static GenericMapData map(JsonNode json, LogicalType key, LogicalType to)
      throws IOException {
    Map<Object, Object> map = new LinkedHashMap<>();
    for (JsonNode pair : json) map.put(value(pair.get(0), key), value(pair.get(1), to));
    return new GenericMapData(map);
  }

  private static GenericRowData row(JsonNode json, LogicalType[] types) throws IOException {
    if (json.size() != types.length) {
      throw new IOException("a row has " + json.size() + " columns instead of " + types.length);
    }
    GenericRowData row = new GenericRowData(types.length);
    for (int at = 0; at < types.length; at++) row.setField(at, value(json.get(at), types[at]));
    return row;
  }
}
