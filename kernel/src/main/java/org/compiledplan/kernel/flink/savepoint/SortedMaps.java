package org.compiledplan.kernel.flink.savepoint;

import com.fasterxml.jackson.databind.JsonNode;
import java.lang.reflect.Constructor;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.generated.GeneratedRecordComparator;
import org.apache.flink.table.runtime.operators.rank.ComparableRecordComparator;
import org.apache.flink.table.runtime.typeutils.SortedMapSerializer;
import org.apache.flink.table.types.logical.DecimalType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.utils.LogicalTypeChecks;

/**
 * Sorted maps from sort keys to numbers. Their serializer contains the code of a comparator, which
 * Flink compiles when it restores the state, and replaces by its own.
 */
final class SortedMaps {
  private static final String CLASS = "SortKeyComparator";

  private SortedMaps() {}

  static Codec codec(JsonNode type) throws Refusal {
    Codec key = Codecs.of(type.get("key"));
    JsonNode order = type.get("order");
    int count = order.size();
    LogicalType[] types = new LogicalType[count];
    int[] positions = new int[count];
    boolean[] ascending = new boolean[count];
    boolean[] nullsLast = new boolean[count];
    for (int at = 0; at < count; at++) {
      types[at] = Codecs.column(type.get("key").get("row").get(at));
      positions[at] = at;
      ascending[at] = order.get(at).get("ascending").asBoolean();
      nullsLast[at] = order.get(at).get("nullsLast").asBoolean();
    }
    GeneratedRecordComparator generated = generated(code(types, ascending, nullsLast));
    var comparator =
        new ComparableRecordComparator(generated, positions, types, ascending, nullsLast);
    @SuppressWarnings({"unchecked", "rawtypes"})
    TypeSerializer<RowData> rows = (TypeSerializer) key.serializer();
    var serializer = new SortedMapSerializer<>(comparator, rows, LongSerializer.INSTANCE);
    return new Codec(
        StateForm.general(serializer),
        null,
        json -> {
          SortedMap<Object, Object> map = new TreeMap<>(Snapshots.asWritten());
          for (JsonNode pair : json) map.put(key.read(pair.get(0)), pair.get(1).longValue());
          return map;
        });
  }

  /**
   * A comparator by its code. Its constructor would split long code, for which it needs the options
   * of Flink's planner.
   */
  private static GeneratedRecordComparator generated(String code) {
    try {
      Class<?> factory = Class.forName("sun.reflect.ReflectionFactory");
      var constructor =
          (Constructor<?>)
              factory
                  .getMethod("newConstructorForSerialization", Class.class, Constructor.class)
                  .invoke(
                      factory.getMethod("getReflectionFactory").invoke(null),
                      GeneratedRecordComparator.class,
                      Object.class.getDeclaredConstructor());
      var empty = (GeneratedRecordComparator) constructor.newInstance();
      PrivateFields.set(empty, "className", CLASS);
      PrivateFields.set(empty, "code", code);
      PrivateFields.set(empty, "splitCode", code);
      PrivateFields.set(empty, "references", new Object[0]);
      return empty;
    } catch (ReflectiveOperationException error) {
      throw new IllegalStateException(error);
    }
  }

  private static String code(LogicalType[] types, boolean[] ascending, boolean[] nullsLast)
      throws Refusal {
    String row = RowData.class.getName();
    StringBuilder code = new StringBuilder();
    code.append("public class ").append(CLASS);
    code.append(" implements org.apache.flink.table.runtime.generated.RecordComparator {\n");
    code.append("public ").append(CLASS).append("(Object[] references) {}\n");
    code.append("public int compare(Object a, Object b) {\n");
    code.append("return compare((").append(row).append(") a, (").append(row).append(") b); }\n");
    code.append("public int compare(").append(row).append(" a, ").append(row).append(" b) {\n");
    code.append("int order;\n");
    for (int at = 0; at < types.length; at++) {
      String isNull = ".isNullAt(" + at + ")";
      int below = nullsLast[at] ? 1 : -1;
      code.append("if (a").append(isNull).append(" || b").append(isNull).append(") {\n");
      code.append("if (!b").append(isNull).append(") return ").append(below).append(";\n");
      code.append("if (!a").append(isNull).append(") return ").append(-below).append(";\n");
      code.append("} else {\norder = ").append(comparison(types[at], at)).append(";\n");
      code.append("if (order != 0) return ").append(ascending[at] ? "" : "-");
      code.append("order;\n}\n");
    }
    return code.append("return 0; }\n}\n").toString();
  }

  /** The comparison of two columns that are not null. */
  private static String comparison(LogicalType type, int at) throws Refusal {
    return switch (type.getTypeRoot()) {
      case BOOLEAN -> compared("Boolean", "getBoolean", at);
      case TINYINT -> compared("Byte", "getByte", at);
      case SMALLINT -> compared("Short", "getShort", at);
      case INTEGER, DATE, TIME_WITHOUT_TIME_ZONE, INTERVAL_YEAR_MONTH ->
          compared("Integer", "getInt", at);
      case BIGINT, INTERVAL_DAY_TIME -> compared("Long", "getLong", at);
      case FLOAT -> compared("Float", "getFloat", at);
      case DOUBLE -> compared("Double", "getDouble", at);
      case CHAR, VARCHAR -> "a.getString(%1$d).compareTo(b.getString(%1$d))".formatted(at);
      case DECIMAL -> {
        DecimalType decimal = (DecimalType) type;
        yield "a.getDecimal(%1$d, %2$d, %3$d).compareTo(b.getDecimal(%1$d, %2$d, %3$d))"
            .formatted(at, decimal.getPrecision(), decimal.getScale());
      }
      case TIMESTAMP_WITHOUT_TIME_ZONE, TIMESTAMP_WITH_LOCAL_TIME_ZONE ->
          "a.getTimestamp(%1$d, %2$d).compareTo(b.getTimestamp(%1$d, %2$d))"
              .formatted(at, LogicalTypeChecks.getPrecision(type));
      default ->
          throw new Refusal("a rank by a column of type " + type + " is not written", "", "");
    };
  }

  private static String compared(String box, String getter, int at) {
    return "%1$s.compare(a.%2$s(%3$d), b.%2$s(%3$d))".formatted(box, getter, at);
  }
}
