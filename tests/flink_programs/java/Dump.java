import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ArrayNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.table.catalog.Column;
import org.apache.flink.table.catalog.ResolvedSchema;
import org.apache.flink.table.data.MapData;
import org.apache.flink.table.data.conversion.DataStructureConverter;
import org.apache.flink.table.data.conversion.DataStructureConverters;
import org.apache.flink.table.functions.UserDefinedFunction;
import org.apache.flink.table.functions.UserDefinedFunctionHelper;
import org.apache.flink.table.test.program.ConfigOptionTestStep;
import org.apache.flink.table.test.program.FailingSqlTestStep;
import org.apache.flink.table.test.program.FunctionTestStep;
import org.apache.flink.table.test.program.SinkTestStep;
import org.apache.flink.table.test.program.SourceTestStep;
import org.apache.flink.table.test.program.SqlTestStep;
import org.apache.flink.table.test.program.StatementSetTestStep;
import org.apache.flink.table.test.program.TableTestProgram;
import org.apache.flink.table.test.program.TableTestStep;
import org.apache.flink.table.test.program.TestStep;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.logical.ArrayType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.LogicalTypeFamily;
import org.apache.flink.table.types.logical.MapType;
import org.apache.flink.types.Row;
import org.apache.flink.types.bitmap.Bitmap;
import org.apache.flink.types.variant.Variant;

/**
 * Prints the test programs of jars as JSON, one a line: Dump JAR...
 *
 * <p>`restored` marks a program of the restore tests that has the id of another program.
 */
public final class Dump {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final TableEnvironment env =
      TableEnvironment.create(EnvironmentSettings.inStreamingMode());

  private Dump() {}

  public static void main(String[] jars) throws Exception {
    Map<String, TableTestProgram> programs = Programs.in(Arrays.asList(jars));
    for (TableTestProgram program : programs.values()) print(program, false);
    for (TableTestProgram program : Programs.restored(Arrays.asList(jars)).values()) {
      if (program != programs.get(program.id)) print(program, true);
    }
    System.exit(0);
  }

  private static void print(TableTestProgram program, boolean restored) throws Exception {
    Dump dump = new Dump();
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("id", program.id);
    line.put("restored", restored);
    line.put("setup", dump.steps(program.setupSteps));
    line.put("run", dump.steps(program.runSteps));
    System.out.println(JSON.writeValueAsString(line));
  }

  private List<Map<String, Object>> steps(List<TestStep> steps) {
    List<Map<String, Object>> written = new ArrayList<>();
    for (TestStep step : steps) {
      Map<String, Object> fields = new LinkedHashMap<>();
      fields.put("kind", step.getClass().getSimpleName());
      written.add(fields);
      try {
        step(step, fields);
      } catch (Exception fault) {
        fields.put("fault", fault.toString());
      }
    }
    return written;
  }

  @SuppressWarnings({"unchecked", "rawtypes"})
  private void step(TestStep step, Map<String, Object> fields) {
    if (step instanceof ConfigOptionTestStep option) {
      Configuration text = new Configuration();
      text.set((ConfigOption) option.option, option.value);
      env.getConfig().addConfiguration(text);
      fields.put("key", option.option.key());
      fields.put("value", text.toMap().get(option.option.key()));
    } else if (step instanceof SqlTestStep sql) {
      fields.put("sql", sql.sql);
    } else if (step instanceof StatementSetTestStep set) {
      fields.put("statements", set.statements);
    } else if (step instanceof FailingSqlTestStep failing) {
      fields.put("sql", failing.sql);
    } else if (step instanceof FunctionTestStep function) {
      function(function, fields);
    } else if (step instanceof TableTestStep table) {
      table(table, fields);
    }
  }

  private static void function(FunctionTestStep function, Map<String, Object> fields) {
    UserDefinedFunction instance = UserDefinedFunctionHelper.instantiateFunction(function.function);
    fields.put("name", function.name);
    fields.put("class", function.function.getName());
    fields.put("functionKind", instance.getKind().name());
    fields.put("deterministic", instance.isDeterministic());
    // The types of these two fields are not public.
    fields.put("persistence", String.valueOf(function.persistence));
    fields.put("behavior", String.valueOf(function.behavior));
  }

  private void table(TableTestStep table, Map<String, Object> fields) {
    fields.put("name", table.name);
    fields.put("schema", table.schemaComponents);
    fields.put("partitionKeys", table.partitionKeys);
    fields.put("options", table.options);
    ResolvedSchema schema = JsonRows.declared(env, table.name, table.schemaComponents);
    Map<String, DataType> stored = stored(schema, table instanceof SinkTestStep);
    Map<String, String> types = new LinkedHashMap<>();
    stored.forEach((name, type) -> types.put(name, type.getLogicalType().asSerializableString()));
    fields.put("columns", types);
    fields.put("primaryKey", schema.getPrimaryKey().map(key -> key.getColumns()).orElse(List.of()));
    if (table instanceof SinkTestStep sink) {
      boolean asTable =
          sink.expectedMaterializedRows != null || sink.expectedMaterializedStrings != null;
      fields.put("expectedBefore", sink.getExpectedBeforeRestoreAsStrings());
      fields.put(
          "expected",
          asTable ? sink.getExpectedMaterializedResultsAsStrings() : sink.getExpectedAsStrings());
    } else if (table instanceof SourceTestStep source) {
      fields.put("before", rows(source.dataBeforeRestore, stored));
      fields.put("after", rows(source.dataAfterRestore, stored));
    }
  }

  private static ArrayNode rows(List<Row> rows, Map<String, DataType> columns) {
    ArrayNode nodes = JSON.createArrayNode();
    rows.forEach(row -> nodes.add(row(row, columns)));
    return nodes;
  }

  /** The columns that a table's files hold, physical ones first, as rows of the programs have. */
  private static Map<String, DataType> stored(ResolvedSchema schema, boolean sink) {
    Map<String, DataType> stored = new LinkedHashMap<>();
    for (Column column : schema.getColumns()) {
      if (column.isPhysical()) stored.put(column.getName(), column.getDataType());
    }
    for (Column column : schema.getColumns()) {
      if (column instanceof Column.MetadataColumn metadata && !(sink && metadata.isVirtual())) {
        stored.put(column.getName(), column.getDataType());
      }
    }
    return stored;
  }

  private static JsonNode row(Row row, Map<String, DataType> columns) {
    ObjectNode node = JSON.createObjectNode();
    node.put("kind", row.getKind().shortString());
    ObjectNode values = node.putObject("values");
    boolean named = row.getFieldNames(false) != null;
    int position = 0;
    for (Map.Entry<String, DataType> column : columns.entrySet()) {
      String name = column.getKey();
      boolean present = named || position < row.getArity();
      Object value = !present ? null : named ? row.getField(name) : row.getField(position);
      DataStructureConverter<Object, Object> converter =
          DataStructureConverters.getConverter(column.getValue());
      converter.open(Dump.class.getClassLoader());
      put(
          values,
          name,
          column.getValue().getLogicalType(),
          present ? converter.toInternalOrNull(value) : null);
      position++;
    }
    return node;
  }

  /** A value as the column that `conversion.py` declares for its type holds it. */
  private static void put(ObjectNode values, String name, LogicalType type, Object value) {
    if (value == null) {
      values.putNull(name);
    } else if (value instanceof Variant variant) {
      values.put(name, variant.toJson());
    } else if (value instanceof Bitmap bitmap) {
      values.put(name, bitmap.toBytes());
    } else if (type instanceof MapType map
        && !map.getKeyType().is(LogicalTypeFamily.CHARACTER_STRING)) {
      MapData data = (MapData) value;
      ObjectNode entries = values.putObject(name);
      LogicalType keys = new ArrayType(map.getKeyType());
      LogicalType items = new ArrayType(map.getValueType());
      entries.set("k", JsonRows.write(keys, JSON, data.keyArray()));
      entries.set("v", JsonRows.write(items, JSON, data.valueArray()));
    } else {
      values.set(name, JsonRows.write(type, JSON, value));
    }
  }
}
