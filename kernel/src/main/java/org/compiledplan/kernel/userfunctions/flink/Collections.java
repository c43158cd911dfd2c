package org.compiledplan.kernel.userfunctions.flink;

import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.data.ArrayData;
import org.apache.flink.table.data.GenericArrayData;
import org.apache.flink.table.data.GenericMapData;
import org.apache.flink.table.data.MapData;
import org.apache.flink.table.types.CollectionDataType;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.KeyValueDataType;
import org.apache.flink.table.types.utils.DataTypeUtils;
import org.compiledplan.kernel.values.ValueType;
import org.compiledplan.kernel.values.ValueType.Kind;

/** Conversions of arrays, maps and multisets. */
final class Collections {
  private Collections() {}

  static Conversion of(DataType type) {
    return switch (type.getLogicalType().getTypeRoot()) {
      case ARRAY -> array(type, ((CollectionDataType) type).getElementDataType());
      case MULTISET -> map(type, ((CollectionDataType) type).getElementDataType(), DataTypes.INT());
      default ->
          map(
              type,
              ((KeyValueDataType) type).getKeyDataType(),
              ((KeyValueDataType) type).getValueDataType());
    };
  }

  private static Conversion array(DataType type, DataType elementType) {
    boolean isInternal = Conversions.is(type, ArrayData.class);
    Conversion element = Conversions.of(inner(elementType, isInternal));
    ValueType own = ValueType.nested(Kind.ARRAY, element.type);
    Class<?> conversion = type.getConversionClass();
    if (isInternal) {
      ArrayData.ElementGetter getter = ArrayData.createElementGetter(elementType.getLogicalType());
      return Conversions.simple(
          own,
          value -> new GenericArrayData(objects((List<?>) value, element)),
          array -> values((ArrayData) array, getter, element));
    }
    if (conversion.isArray()) {
      Class<?> component = conversion.getComponentType();
      return Conversions.simple(
          own,
          value -> {
            List<?> list = (List<?>) value;
            Object array = Array.newInstance(component, list.size());
            for (int i = 0; i < list.size(); i++) Array.set(array, i, element.in(list.get(i)));
            return array;
          },
          array -> {
            int size = Array.getLength(array);
            List<Object> list = new ArrayList<>(size);
            for (int i = 0; i < size; i++) list.add(element.out(Array.get(array, i)));
            return list;
          });
    }
    if (!conversion.isAssignableFrom(ArrayList.class)) throw Conversions.unknown(type);
    return Conversions.simple(
        own,
        value -> {
          List<Object> list = new ArrayList<>(((List<?>) value).size());
          for (Object item : (List<?>) value) list.add(element.in(item));
          return list;
        },
        list -> {
          List<Object> values = new ArrayList<>(((List<?>) list).size());
          for (Object item : (List<?>) list) values.add(element.out(item));
          return values;
        });
  }

  private static Conversion map(DataType type, DataType keyType, DataType itemType) {
    boolean isInternal = Conversions.is(type, MapData.class);
    Conversion key = Conversions.of(inner(keyType, isInternal));
    Conversion item = Conversions.of(inner(itemType, isInternal));
    ValueType own = ValueType.nested(Kind.MAP, key.type, item.type);
    if (isInternal) {
      ArrayData.ElementGetter keys = ArrayData.createElementGetter(keyType.getLogicalType());
      ArrayData.ElementGetter items = ArrayData.createElementGetter(itemType.getLogicalType());
      return Conversions.simple(
          own,
          value -> new GenericMapData(objects((Map<?, ?>) value, key, item)),
          object -> {
            MapData map = (MapData) object;
            List<Object> all = values(map.keyArray(), keys, key);
            List<Object> held = values(map.valueArray(), items, item);
            Map<Object, Object> values = new LinkedHashMap<>();
            for (int i = 0; i < all.size(); i++) values.put(all.get(i), held.get(i));
            return values;
          });
    }
    if (!type.getConversionClass().isAssignableFrom(HashMap.class)) throw Conversions.unknown(type);
    return Conversions.simple(
        own,
        value -> objects((Map<?, ?>) value, key, item),
        map -> {
          Map<Object, Object> values = new LinkedHashMap<>();
          ((Map<?, ?>) map).forEach((k, v) -> values.put(key.out(k), item.out(v)));
          return values;
        });
  }

  private static Map<Object, Object> objects(Map<?, ?> values, Conversion key, Conversion item) {
    Map<Object, Object> map = new HashMap<>();
    values.forEach((k, v) -> map.put(key.in(k), item.in(v)));
    return map;
  }

  private static Object[] objects(List<?> values, Conversion element) {
    return values.stream().map(element::in).toArray();
  }

  private static List<Object> values(
      ArrayData array, ArrayData.ElementGetter getter, Conversion element) {
    List<Object> values = new ArrayList<>(array.size());
    for (int i = 0; i < array.size(); i++)
      values.add(element.out(getter.getElementOrNull(array, i)));
    return values;
  }

  /** The type of a part: parts of internal values are internal, too. */
  static DataType inner(DataType part, boolean isInternal) {
    return isInternal ? DataTypeUtils.toInternalDataType(part) : part;
  }
}
