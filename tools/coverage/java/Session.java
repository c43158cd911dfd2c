import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.streaming.api.transformations.OneInputTransformation;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.api.Table;
import org.apache.flink.table.api.TableDescriptor;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.table.api.internal.TableEnvironmentImpl;
import org.apache.flink.table.api.internal.TableEnvironmentInternal;
import org.apache.flink.table.catalog.Column;
import org.apache.flink.table.operations.ModifyOperation;
import org.apache.flink.table.operations.Operation;
import org.apache.flink.table.operations.QueryOperation;
import org.apache.flink.table.operations.StatementSetOperation;
import org.apache.flink.table.operations.materializedtable.CreateMaterializedTableOperation;
import org.apache.flink.table.runtime.operators.CodeGenOperatorFactory;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.utils.LogicalTypeUtils;
import org.apache.flink.table.types.utils.TypeConversions;

/** Flink's answers to statements, in an environment with the objects of setup.sql. */
final class Session {
  private final List<String> setup = new ArrayList<>();
  private TableEnvironment env;

  Session(Path file) throws Exception {
    for (String statement : Files.readString(file).split(";\\s*\\n"))
      if (!statement.isBlank()) setup.add(statement);
    renew();
  }

  private void renew() {
    env = TableEnvironment.create(EnvironmentSettings.inStreamingMode());
    for (String statement : setup) {
      try {
        Operation operation = operation(statement);
        if (operation instanceof CreateMaterializedTableOperation create) {
          // The environment leaves materialized tables to the SQL gateway, which refreshes them.
          var catalogs = ((TableEnvironmentInternal) env).getCatalogManager();
          catalogs.createTable(
              create.getCatalogMaterializedTable(), create.getTableIdentifier(), false);
        } else env.executeSql(statement);
      } catch (Exception | Error e) {
        System.err.println("set-up: " + statement + ": " + message(e));
      }
    }
  }

  /** The class of a statement's operation. */
  Operation operation(String sql) {
    return ((TableEnvironmentInternal) env).getParser().parse(sql).get(0);
  }

  /** Flink's message on a statement; empty where it takes it. */
  String refusal(String sql) {
    try {
      Operation operation = operation(sql);
      String kind = operation.getClass().getSimpleName();
      if (operation instanceof QueryOperation) return compiled(sql);
      if (kind.matches(".*Table(AS|As).*")) {
        env.explainSql(sql);
        return "";
      }
      boolean modifies =
          operation instanceof ModifyOperation || operation instanceof StatementSetOperation;
      if (kind.equals("SinkModifyOperation") || operation instanceof StatementSetOperation) {
        boolean changes = sql.startsWith("DELETE") || sql.startsWith("UPDATE");
        if (!changes) {
          ((TableEnvironmentInternal) env).compilePlan(modifications(operation));
          return "";
        }
      } else if (modifies
          || kind.matches(".*(Execute|Compile).*Plan.*|.*(StopJob|MaterializedTable).*")) return "";
      boolean reads = kind.matches("(Show|Describe|Explain).*");
      env.executeSql(sql);
      if (!reads) renew();
      return "";
    } catch (Exception | Error e) {
      return message(e);
    }
  }

  private static List<ModifyOperation> modifications(Operation operation) {
    if (operation instanceof StatementSetOperation)
      return ((StatementSetOperation) operation).getOperations();
    return List.of((ModifyOperation) operation);
  }

  private String compiled(String sql) {
    Table query = env.sqlQuery(sql);
    Schema.Builder schema = Schema.newBuilder();
    int at = 0;
    for (Column column : query.getResolvedSchema().getColumns()) {
      LogicalType type =
          LogicalTypeUtils.removeTimeAttributes(column.getDataType().getLogicalType()).copy(true);
      schema.column("c" + at++, TypeConversions.fromLogicalToDataType(type));
    }
    env.createTemporaryTable(
        "answer", TableDescriptor.forConnector("blackhole").schema(schema.build()).build());
    try {
      query.insertInto("answer").compilePlan();
      build(modifications(operation("INSERT INTO answer " + sql)));
      return "";
    } finally {
      env.dropTemporaryTable("answer");
    }
  }

  /** Generate and compile the code of a job: a plan can hold calls that Flink cannot run. */
  private void build(List<ModifyOperation> operations) {
    ClassLoader loader = Thread.currentThread().getContextClassLoader();
    for (Transformation<?> root : ((TableEnvironmentImpl) env).getPlanner().translate(operations))
      for (Transformation<?> step : root.getTransitivePredecessors())
        if (step instanceof OneInputTransformation<?, ?> one
            && one.getOperatorFactory() instanceof CodeGenOperatorFactory<?> factory)
          factory.getGeneratedClass().compile(loader);
  }

  /** The most specific message of a fault. */
  static String message(Throwable fault) {
    String result = fault.getClass().getSimpleName();
    for (Throwable at = fault; at != null; at = at.getCause()) {
      if (at.getMessage() != null && !at.getMessage().isBlank()) result = at.getMessage();
    }
    return result.replaceAll("\\s+", " ").strip();
  }
}
