import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.flink.formats.common.TimestampFormat;
import org.apache.flink.formats.json.JsonFormatOptions;
import org.apache.flink.formats.json.JsonToRowDataConverters;
import org.apache.flink.formats.json.RowDataToJsonConverters;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.table.api.internal.TableEnvironmentInternal;
import org.apache.flink.table.catalog.ObjectIdentifier;
import org.apache.flink.table.catalog.ResolvedSchema;
import org.apache.flink.table.types.logical.ArrayType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.MapType;
import org.apache.flink.table.types.logical.MultisetType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.StructuredType;

/** Rows as JSON in the way of Flink's format `json`. */
final class JsonRows {
  private JsonRows() {}

  static RowDataToJsonConverters.RowDataToJsonConverter writer(LogicalType type) {
    return new RowDataToJsonConverters(
            TimestampFormat.SQL, JsonFormatOptions.MapNullKeyMode.LITERAL, "null", false)
        .createConverter(plain(type));
  }

  static JsonNode write(LogicalType type, ObjectMapper json, Object value) {
    return writer(type).convert(json, null, value);
  }

  static JsonToRowDataConverters.JsonToRowDataConverter reader(LogicalType type) {
    return new JsonToRowDataConverters(false, false, TimestampFormat.SQL)
        .createConverter(plain(type));
  }

  /** The resolved schema of a table that is declared by the text of its columns. */
  static ResolvedSchema declared(TableEnvironment env, String name, List<String> schema) {
    String columns = String.join(", ", schema);
    env.executeSql(
        "CREATE TABLE `" + name + "` (" + columns + ") WITH ('connector' = 'blackhole')");
    ObjectIdentifier id =
        ObjectIdentifier.of(env.getCurrentCatalog(), env.getCurrentDatabase(), name);
    return ((TableEnvironmentInternal) env)
        .getCatalogManager()
        .getTable(id)
        .orElseThrow()
        .getResolvedSchema();
  }

  /** The type with rows in place of structured types, which the format does not take. */
  private static LogicalType plain(LogicalType type) {
    boolean nullable = type.isNullable();
    if (type instanceof StructuredType structured) {
      return new RowType(
          nullable,
          structured.getAttributes().stream()
              .map(field -> new RowType.RowField(field.getName(), plain(field.getType())))
              .collect(Collectors.toList()));
    }
    if (type instanceof RowType row) {
      List<RowType.RowField> fields = new ArrayList<>();
      row.getFields()
          .forEach(
              field -> fields.add(new RowType.RowField(field.getName(), plain(field.getType()))));
      return new RowType(nullable, fields);
    }
    if (type instanceof ArrayType array)
      return new ArrayType(nullable, plain(array.getElementType()));
    if (type instanceof MapType map) {
      return new MapType(nullable, plain(map.getKeyType()), plain(map.getValueType()));
    }
    if (type instanceof MultisetType multiset) {
      return new MultisetType(nullable, plain(multiset.getElementType()));
    }
    return type;
  }
}
