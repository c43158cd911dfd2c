package org.compiledplan.kernel.flink.savepoint;

import static java.util.Map.entry;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.BigDecSerializer;
import org.apache.flink.api.common.typeutils.base.BooleanSerializer;
import org.apache.flink.api.common.typeutils.base.ByteSerializer;
import org.apache.flink.api.common.typeutils.base.DoubleSerializer;
import org.apache.flink.api.common.typeutils.base.FloatSerializer;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.api.common.typeutils.base.ListSerializer;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.MapSerializer;
import org.apache.flink.api.common.typeutils.base.ShortSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.api.common.typeutils.base.VoidSerializer;
import org.apache.flink.api.common.typeutils.base.array.BytePrimitiveArraySerializer;
import org.apache.flink.api.java.tuple.Tuple;
import org.apache.flink.api.java.typeutils.runtime.NullableSerializer;
import org.apache.flink.api.java.typeutils.runtime.RowSerializer;
import org.apache.flink.api.java.typeutils.runtime.TupleSerializerBase;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.runtime.state.ArrayListSerializer;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.table.api.dataview.ListView;
import org.apache.flink.table.api.dataview.MapView;
import org.apache.flink.table.data.ArrayData;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.MapData;
import org.apache.flink.table.data.RawValueData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.dataview.ListViewSerializer;
import org.apache.flink.table.dataview.MapViewSerializer;
import org.apache.flink.table.dataview.NullSerializer;
import org.apache.flink.table.runtime.operators.sink.SortedLongSerializer;
import org.apache.flink.table.runtime.operators.window.CountWindow;
import org.apache.flink.table.runtime.operators.window.TimeWindow;
import org.apache.flink.table.runtime.typeutils.AbstractRowDataSerializer;
import org.apache.flink.table.runtime.typeutils.ArrayDataSerializer;
import org.apache.flink.table.runtime.typeutils.DecimalDataSerializer;
import org.apache.flink.table.runtime.typeutils.ExternalSerializer;
import org.apache.flink.table.runtime.typeutils.LinkedListSerializer;
import org.apache.flink.table.runtime.typeutils.MapDataSerializer;
import org.apache.flink.table.runtime.typeutils.RawValueDataSerializer;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
import org.apache.flink.table.runtime.typeutils.SortedMapSerializer;
import org.apache.flink.table.runtime.typeutils.StringDataSerializer;
import org.apache.flink.table.runtime.typeutils.TimestampDataSerializer;
import org.apache.flink.table.types.logical.ArrayType;
import org.apache.flink.table.types.logical.DistinctType;
import org.apache.flink.table.types.logical.IntType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.MapType;
import org.apache.flink.table.types.logical.MultisetType;
import org.apache.flink.table.types.logical.RawType;
import org.apache.flink.types.Row;
import org.apache.flink.types.bitmap.Bitmap;
import org.apache.flink.types.variant.BinaryVariant;

/** The neutral forms of Flink's serializers and logical types. */
@SuppressWarnings("deprecation") // Flink stores list and map views with deprecated serializers.
final class Forms {
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
  private static final Form.Writer LONG =
      (value, json) -> json.writeNumber(((Number) value).longValue());
  private static final Form.Writer REAL =
      (value, json) -> real(((Number) value).doubleValue(), json);
  private static final Form.Writer SINGLE = (value, json) -> single((Float) value, json);
  private static final Form.Writer TEXT = (value, json) -> json.writeString(value.toString());
  private static final Form.Writer BOOLEAN = (value, json) -> json.writeBoolean((Boolean) value);
  private static final Form.Writer BYTES = (value, json) -> json.writeBinary((byte[]) value);
  private static final Form.Writer NOTHING = (value, json) -> json.writeNull();
  private static final Form.Writer DECIMAL =
      (value, json) -> json.writeString(decimal(value).toPlainString());
  private static final Form.Writer TIMESTAMP =
      (value, json) -> {
        TimestampData time = (TimestampData) value;
        json.writeStartArray();
        json.writeNumber(time.getMillisecond());
        json.writeNumber(time.getNanoOfMillisecond());
        json.writeEndArray();
      };

  /** The forms of serializers without parameters. */
  private static final Map<Class<?>, Form> SIMPLE =
      Map.ofEntries(
          entry(LongSerializer.class, scalar("LONG", LONG)),
          entry(SortedLongSerializer.class, scalar("LONG", LONG)),
          entry(IntSerializer.class, scalar("INT", LONG)),
          entry(ShortSerializer.class, scalar("SHORT", LONG)),
          entry(ByteSerializer.class, scalar("BYTE", LONG)),
          entry(DoubleSerializer.class, scalar("DOUBLE", REAL)),
          entry(FloatSerializer.class, scalar("FLOAT", SINGLE)),
          entry(BooleanSerializer.class, scalar("BOOLEAN", BOOLEAN)),
          entry(StringSerializer.class, scalar("STRING", TEXT)),
          entry(StringDataSerializer.class, scalar("STRING", TEXT)),
          entry(BigDecSerializer.class, scalar("DECIMAL", DECIMAL)),
          entry(BytePrimitiveArraySerializer.class, scalar("BYTES", BYTES)),
          entry(VoidSerializer.class, scalar("VOID", NOTHING)),
          entry(NullSerializer.class, scalar("VOID", NOTHING)),
          entry(VoidNamespaceSerializer.class, scalar("VOID", NOTHING)),
          entry(TimeWindow.Serializer.class, scalar("TIME_WINDOW", Forms::tableWindow)),
          entry(
              org.apache.flink.streaming.api.windowing.windows.TimeWindow.Serializer.class,
              scalar("TIME_WINDOW", Forms::streamingWindow)),
          entry(
              CountWindow.Serializer.class,
              scalar(
                  "COUNT_WINDOW",
                  (value, json) -> json.writeNumber(((CountWindow) value).getId()))));

  private Forms() {}

  /** The form of a serializer's values; `raw` for a serializer that it does not know. */
  static Form of(TypeSerializer<?> serializer) {
    if (serializer instanceof RowDataSerializer) {
      return row((LogicalType[]) PrivateFields.get(serializer, "types"));
    }
    if (serializer instanceof AbstractRowDataSerializer<?>) {
      return raw(serializer);
    }
    if (serializer instanceof ExternalSerializer<?, ?> external) {
      return of(external.getDataType().getLogicalType());
    }
    if (serializer instanceof ListSerializer<?> list) {
      return list(of(list.getElementSerializer()));
    }
    if (serializer instanceof ArrayListSerializer<?> list) {
      return list(of(list.getElementSerializer()));
    }
    if (serializer instanceof LinkedListSerializer<?> list) {
      return list(of((TypeSerializer<?>) PrivateFields.get(list, "elementSerializer")));
    }
    if (serializer instanceof MapSerializer<?, ?> map) {
      return map(of(map.getKeySerializer()), of(map.getValueSerializer()));
    }
    if (serializer instanceof SortedMapSerializer<?, ?> map) {
      return map(of(map.getKeySerializer()), of(map.getValueSerializer()));
    }
    if (serializer instanceof ListViewSerializer<?> view) {
      Form list = of(view.getListSerializer());
      return new Form(
          list.type(), (value, json) -> list.write(((ListView<?>) value).getList(), json));
    }
    if (serializer instanceof MapViewSerializer<?, ?> view) {
      Form map = of(view.getMapSerializer());
      return new Form(
          map.type(), (value, json) -> map.write(((MapView<?, ?>) value).getMap(), json));
    }
    if (serializer instanceof TupleSerializerBase<?> tuple) {
      return tuple((TypeSerializer<?>[]) PrivateFields.get(tuple, "fieldSerializers"));
    }
    if (serializer instanceof RowSerializer row) {
      return externalRow((TypeSerializer<?>[]) PrivateFields.get(row, "fieldSerializers"));
    }
    if (serializer instanceof NullableSerializer<?> nullable) {
      return of((TypeSerializer<?>) PrivateFields.get(nullable, "originalSerializer"));
    }
    if (serializer instanceof RawValueDataSerializer<?> value) {
      return rawValue(value.getInnerSerializer());
    }
    if (serializer instanceof ArrayDataSerializer array) {
      return array((LogicalType) PrivateFields.get(array, "eleType"));
    }
    if (serializer instanceof MapDataSerializer map) {
      return map(
          (LogicalType) PrivateFields.get(map, "keyType"),
          (LogicalType) PrivateFields.get(map, "valueType"));
    }
    if (serializer instanceof DecimalDataSerializer decimal) {
      String digits =
          PrivateFields.get(decimal, "precision") + ", " + PrivateFields.get(decimal, "scale");
      return scalar("DECIMAL(" + digits + ")", DECIMAL);
    }
    if (serializer instanceof TimestampDataSerializer timestamp) {
      return scalar("TIMESTAMP(" + PrivateFields.get(timestamp, "precision") + ")", TIMESTAMP);
    }
    Form match = MatchForms.of(serializer);
    if (match != null) return match;
    Form simple = SIMPLE.get(serializer.getClass());
    return simple != null ? simple : raw(serializer);
  }

  /** The form of a column in a row: internal data of Flink's table runtime. */
  static Form of(LogicalType type) {
    switch (type.getTypeRoot()) {
      case BOOLEAN:
        return scalar(type, BOOLEAN);
      case CHAR:
      case VARCHAR:
        return scalar(type, TEXT);
      case TINYINT:
      case SMALLINT:
      case INTEGER:
      case BIGINT:
      case DATE:
      case TIME_WITHOUT_TIME_ZONE:
      case INTERVAL_YEAR_MONTH:
      case INTERVAL_DAY_TIME:
        return scalar(type, LONG);
      case FLOAT:
        return scalar(type, SINGLE);
      case DOUBLE:
        return scalar(type, REAL);
      case DECIMAL:
        return scalar(type, DECIMAL);
      case TIMESTAMP_WITHOUT_TIME_ZONE:
      case TIMESTAMP_WITH_LOCAL_TIME_ZONE:
        return scalar(type, TIMESTAMP);
      case BINARY:
      case VARBINARY:
        return scalar(type, BYTES);
      case BITMAP:
        return scalar(type, (value, json) -> json.writeBinary(((Bitmap) value).toBytes()));
      case VARIANT:
        return scalar(type, Forms::variant);
      case ARRAY:
        return array(((ArrayType) type).getElementType());
      case MAP:
        return map(((MapType) type).getKeyType(), ((MapType) type).getValueType());
      case MULTISET:
        return map(((MultisetType) type).getElementType(), new IntType(false));
      case ROW:
      case STRUCTURED_TYPE:
        return row(type.getChildren().toArray(new LogicalType[0]));
      case DISTINCT_TYPE:
        return of(((DistinctType) type).getSourceType());
      case NULL:
        return scalar(type, NOTHING);
      case RAW:
        return rawValue(((RawType<?>) type).getTypeSerializer());
      default:
        throw new IllegalStateException("columns of type " + type + " are not stored in state");
    }
  }

  static Form scalar(String type, Form.Writer writer) {
    return new Form(NODES.textNode(type), writer);
  }

  private static Form scalar(LogicalType type, Form.Writer writer) {
    return scalar(type.asSerializableString(), writer);
  }

  static Form list(Form element) {
    return list(element, value -> (Iterable<?>) value);
  }

  static Form list(Form element, Function<Object, Iterable<?>> elements) {
    return new Form(
        object("list", element.type()),
        (value, json) -> {
          json.writeStartArray();
          for (Object item : elements.apply(value)) {
            element.write(item, json);
          }
          json.writeEndArray();
        });
  }

  private static Form map(Form key, Form value) {
    return new Form(
        object("map", array(List.of(key, value))),
        (map, json) -> {
          json.writeStartArray();
          for (Map.Entry<?, ?> entry : ((Map<?, ?>) map).entrySet()) {
            json.writeStartArray();
            key.write(entry.getKey(), json);
            value.write(entry.getValue(), json);
            json.writeEndArray();
          }
          json.writeEndArray();
        });
  }

  /** The form of an entry of a map: only its type is used. */
  static Form pair(Form key, Form value) {
    return new Form(object("tuple", array(List.of(key, value))), NOTHING);
  }

  private static Form map(LogicalType keyType, LogicalType valueType) {
    Form key = of(keyType);
    Form value = of(valueType);
    ArrayData.ElementGetter keys = ArrayData.createElementGetter(keyType);
    ArrayData.ElementGetter values = ArrayData.createElementGetter(valueType);
    return new Form(
        object("map", array(List.of(key, value))),
        (data, json) -> {
          MapData map = (MapData) data;
          ArrayData keyArray = map.keyArray();
          ArrayData valueArray = map.valueArray();
          json.writeStartArray();
          for (int at = 0; at < map.size(); at++) {
            json.writeStartArray();
            key.write(keys.getElementOrNull(keyArray, at), json);
            value.write(values.getElementOrNull(valueArray, at), json);
            json.writeEndArray();
          }
          json.writeEndArray();
        });
  }

  private static Form array(LogicalType type) {
    Form element = of(type);
    ArrayData.ElementGetter getter = ArrayData.createElementGetter(type);
    return new Form(
        object("list", element.type()),
        (value, json) -> {
          ArrayData array = (ArrayData) value;
          json.writeStartArray();
          for (int at = 0; at < array.size(); at++) {
            element.write(getter.getElementOrNull(array, at), json);
          }
          json.writeEndArray();
        });
  }

  private static Form row(LogicalType[] types) {
    List<Form> columns = Arrays.stream(types).map(Forms::of).toList();
    RowData.FieldGetter[] getters = new RowData.FieldGetter[types.length];
    for (int at = 0; at < types.length; at++) {
      getters[at] = RowData.createFieldGetter(types[at], at);
    }
    return new Form(
        object("row", array(columns)),
        (value, json) -> {
          RowData row = (RowData) value;
          json.writeStartArray();
          for (int at = 0; at < getters.length; at++) {
            columns.get(at).write(getters[at].getFieldOrNull(row), json);
          }
          json.writeEndArray();
        });
  }

  private static Form tuple(TypeSerializer<?>[] serializers) {
    List<Form> fields = all(serializers);
    return tuple(fields, (value, at) -> ((Tuple) value).getField(at));
  }

  private static Form externalRow(TypeSerializer<?>[] serializers) {
    List<Form> fields = all(serializers);
    Form tuple = tuple(fields, (value, at) -> ((Row) value).getField(at));
    return new Form(object("row", array(fields)), tuple.writer());
  }

  private static List<Form> all(TypeSerializer<?>[] serializers) {
    List<Form> forms = new ArrayList<>();
    for (TypeSerializer<?> serializer : serializers) {
      forms.add(of(serializer));
    }
    return forms;
  }

  /** Returns a field of an object by its position. */
  @FunctionalInterface
  interface FieldOf {
    Object get(Object value, int position);
  }

  static Form tuple(List<Form> fields, FieldOf getter) {
    return new Form(
        object("tuple", array(fields)),
        (value, json) -> {
          json.writeStartArray();
          for (int at = 0; at < fields.size(); at++) {
            fields.get(at).write(getter.get(value, at), json);
          }
          json.writeEndArray();
        });
  }

  /** The content of a RAW column, in the form of its own serializer. */
  private static <T> Form rawValue(TypeSerializer<T> original) {
    TypeSerializer<T> serializer = Snapshots.prepared(original.snapshotConfiguration());
    Form form = of(serializer);
    DataInputDeserializer input = new DataInputDeserializer();
    return new Form(
        form.type(),
        (value, json) -> {
          @SuppressWarnings("unchecked")
          RawValueData<T> raw = (RawValueData<T>) value;
          input.setBuffer(raw.toBytes(serializer));
          form.write(serializer.deserialize(input), json);
        });
  }

  @SuppressWarnings("unchecked")
  private static Form raw(TypeSerializer<?> serializer) {
    TypeSerializer<Object> writing = (TypeSerializer<Object>) serializer;
    DataOutputSerializer output = new DataOutputSerializer(64);
    return new Form(
        object("raw", NODES.textNode(serializer.getClass().getName())),
        (value, json) -> {
          output.clear();
          writing.serialize(value, output);
          json.writeBinary(output.getCopyOfBuffer());
        });
  }

  static ArrayNode array(List<Form> forms) {
    ArrayNode array = NODES.arrayNode();
    forms.forEach(form -> array.add(form.type()));
    return array;
  }

  private static ObjectNode object(String name, JsonNode value) {
    ObjectNode object = NODES.objectNode();
    object.set(name, value);
    return object;
  }

  private static BigDecimal decimal(Object value) {
    return value instanceof DecimalData data ? data.toBigDecimal() : (BigDecimal) value;
  }

  private static void real(double value, JsonGenerator json) throws IOException {
    if (Double.isFinite(value) && !isNegativeZero(value)) {
      json.writeNumber(value);
    } else {
      json.writeString(special(value));
    }
  }

  private static void single(float value, JsonGenerator json) throws IOException {
    if (Float.isFinite(value) && !isNegativeZero(value)) {
      json.writeNumber(value);
    } else {
      json.writeString(special(value));
    }
  }

  private static boolean isNegativeZero(double value) {
    return value == 0 && 1 / value < 0;
  }

  private static String special(double value) {
    return value == 0 ? "-0.0" : Double.toString(value);
  }

  private static void variant(Object value, JsonGenerator json) throws IOException {
    BinaryVariant variant = (BinaryVariant) value;
    byte[] bytes = variant.getValue();
    json.writeStartArray();
    json.writeBinary(Arrays.copyOfRange(bytes, variant.getPos(), bytes.length));
    json.writeBinary(variant.getMetadata());
    json.writeEndArray();
  }

  private static void tableWindow(Object value, JsonGenerator json) throws IOException {
    TimeWindow window = (TimeWindow) value;
    json.writeStartArray();
    json.writeNumber(window.getStart());
    json.writeNumber(window.getEnd());
    json.writeEndArray();
  }

  private static void streamingWindow(Object value, JsonGenerator json) throws IOException {
    var window = (org.apache.flink.streaming.api.windowing.windows.TimeWindow) value;
    json.writeStartArray();
    json.writeNumber(window.getStart());
    json.writeNumber(window.getEnd());
    json.writeEndArray();
  }
}
