import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.streaming.api.transformations.OneInputTransformation;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.api.TableDescriptor;
import org.apache.flink.table.api.internal.TableEnvironmentImpl;
import org.apache.flink.table.catalog.CatalogMaterializedTable;
import org.apache.flink.table.catalog.Column;
import org.apache.flink.table.catalog.ObjectIdentifier;
import org.apache.flink.table.catalog.UnresolvedIdentifier;
import org.apache.flink.table.operations.CompileAndExecutePlanOperation;
import org.apache.flink.table.operations.CreateTableASOperation;
import org.apache.flink.table.operations.ModifyOperation;
import org.apache.flink.table.operations.Operation;
import org.apache.flink.table.operations.QueryOperation;
import org.apache.flink.table.operations.ReplaceTableAsOperation;
import org.apache.flink.table.operations.SinkModifyOperation;
import org.apache.flink.table.operations.StatementSetOperation;
import org.apache.flink.table.operations.ddl.CompilePlanOperation;
import org.apache.flink.table.operations.materializedtable.AlterMaterializedTableChangeOperation;
import org.apache.flink.table.operations.materializedtable.CreateMaterializedTableOperation;
import org.apache.flink.table.operations.materializedtable.FullAlterMaterializedTableOperation;
import org.apache.flink.table.runtime.operators.CodeGenOperatorFactory;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.utils.LogicalTypeUtils;
import org.apache.flink.table.types.utils.TypeConversions;

/** Flink's answers to statements, in an environment with the objects of setup.sql. */
final class Session {
  private final List<String> setup = new ArrayList<>();
  private TableEnvironmentImpl env;

  /** True after a statement that changed the objects of set-up. */
  private boolean changed;

  Session(Path file) throws Exception {
    for (String statement : Files.readString(file).split(";\\s*\\n"))
      if (!statement.isBlank()) setup.add(statement);
    renew();
  }

  private void renew() {
    changed = false;
    env = TableEnvironmentImpl.create(EnvironmentSettings.inStreamingMode());
    for (String statement : setup) {
      try {
        Operation operation = operation(statement);
        if (operation instanceof CreateMaterializedTableOperation create) {
          // The environment leaves materialized tables to the SQL gateway, which refreshes them.
          env.getCatalogManager()
              .createTable(
                  create.getCatalogMaterializedTable(), create.getTableIdentifier(), false);
        } else env.executeSql(statement);
      } catch (Exception | Error e) {
        System.err.println("set-up: " + statement + ": " + message(e));
      }
    }
  }

  /** The class of a statement's operation. */
  Operation operation(String sql) {
    return env.getParser().parse(sql).get(0);
  }

  /** Flink's message on a statement; empty where it takes it. */
  String refusal(String sql) {
    try {
      Operation operation = operation(sql);
      if (operation instanceof QueryOperation query) compile(query);
      else execute(operation, sql);
      return "";
    } catch (Exception | Error e) {
      return message(e);
    } finally {
      if (changed) renew();
    }
  }

  /** Execute a statement, or compile it where it starts a job. */
  private void execute(Operation operation, String sql) throws Exception {
    String kind = operation.getClass().getSimpleName();
    // The SQL client and the SQL gateway execute these.
    if (kind.matches(
            "(Set|Reset|RemoveJar|(Begin|End)StatementSet|Quit|.*Jobs?|ExecutePlan)Operation")
        || kind.matches("AlterMaterializedTable(Suspend|Resume|Refresh)Operation")) return;
    changed = !kind.matches("(Show|Describe|Explain|SinkModify|StatementSet|Compile).*");
    var catalogs = env.getCatalogManager();
    if (operation instanceof CompileAndExecutePlanOperation compile)
      execute(compile.getOperation(), sql);
    else if (operation instanceof CompilePlanOperation compile)
      execute(compile.getOperation(), sql);
    else if (operation instanceof CreateTableASOperation create) {
      env.executeInternal(create.getCreateTableOperation());
      compile(create.toSinkModifyOperation(catalogs));
    } else if (operation instanceof ReplaceTableAsOperation replace) {
      var table = replace.getCreateTableOperation();
      catalogs.dropTable(table.getTableIdentifier(), true);
      env.executeInternal(table);
      compile(replace.toSinkModifyOperation(catalogs));
    } else if (operation instanceof CreateMaterializedTableOperation create) {
      if (catalogs.getTable(create.getTableIdentifier()).isPresent())
        throw new IllegalStateException("exists");
      catalogs.createTable(
          create.getCatalogMaterializedTable(), create.getTableIdentifier(), false);
      refresh(create.getTableIdentifier());
    } else if (operation instanceof AlterMaterializedTableChangeOperation alter) {
      env.executeInternal(alter.copyAsTableChangeOperation());
      refresh(alter.getTableIdentifier());
    } else if (operation instanceof FullAlterMaterializedTableOperation alter) {
      env.executeInternal(alter);
      refresh(alter.getTableIdentifier());
    } else if (operation instanceof SinkModifyOperation write
        && !sql.matches("(DELETE|UPDATE)\\b.*")) {
      compile(write);
    } else if (operation instanceof StatementSetOperation set) {
      compile(set.getOperations().toArray(new ModifyOperation[0]));
    } else env.executeSql(sql);
  }

  /** Compile a job and build it: some sinks and patterns are refused only then. */
  private void compile(ModifyOperation... operations) {
    env.compilePlan(List.of(operations));
    build(List.of(operations));
  }

  /** Compile the job that refreshes a materialized table, as the SQL gateway starts it. */
  private void refresh(ObjectIdentifier name) throws Exception {
    var table = (CatalogMaterializedTable) env.getCatalogManager().getTableOrError(name).getTable();
    String sql = "INSERT INTO " + name.asSerializableString() + " " + table.getExpandedQuery();
    compile((ModifyOperation) operation(sql));
  }

  /** Compile a query as an INSERT into a table of its columns. */
  private void compile(QueryOperation query) {
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
      var name = env.getCatalogManager().qualifyIdentifier(UnresolvedIdentifier.of("answer"));
      compile(new SinkModifyOperation(env.getCatalogManager().getTableOrError(name), query));
    } finally {
      env.dropTemporaryTable("answer");
    }
  }

  /** Generate and compile the code of a job: a plan can hold calls that Flink cannot run. */
  private void build(List<ModifyOperation> operations) {
    ClassLoader loader = Thread.currentThread().getContextClassLoader();
    for (Transformation<?> root : env.getPlanner().translate(operations))
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
