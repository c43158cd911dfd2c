import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.flink.table.api.CompiledPlan;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.StatementSet;
import org.apache.flink.table.api.Table;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.table.api.TableResult;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.test.program.FunctionTestStep;
import org.apache.flink.table.test.program.TableApiTestStep;
import org.apache.flink.table.test.program.TableTestProgram;
import org.apache.flink.table.test.program.TestStep;

/**
 * Compiles and runs programs in Flink: Ask JAR..., the folders of the programs on stdin.
 *
 * <p>Reads `question.json` of a folder and writes `answer.json` and, where Flink compiles it,
 * `flink-plan.json`. A question with the `id` of a test program gets its functions, and its Table
 * API steps if it has no inserts.
 */
public final class Ask {
  private static final ObjectMapper JSON = new ObjectMapper();

  private Ask() {}

  public static void main(String[] jars) throws Exception {
    Map<String, TableTestProgram> programs = Programs.in(Arrays.asList(jars));
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
    for (String folder : lines.lines().collect(Collectors.toList())) {
      Path path = Path.of(folder);
      JsonNode question = JSON.readTree(path.resolve("question.json").toFile());
      ObjectNode answer = JSON.createObjectNode();
      answer(path, question, programs.get(question.get("id").asText()), answer);
      Files.writeString(path.resolve("answer.json"), answer.toPrettyString());
      System.out.println(path.getFileName());
    }
    System.exit(0);
  }

  private static void answer(
      Path folder, JsonNode question, TableTestProgram program, ObjectNode answer) {
    TableEnvironment env = TableEnvironment.create(EnvironmentSettings.inStreamingMode());
    env.getConfig().set("parallelism.default", "1");
    try {
      for (JsonNode option : question.get("options")) {
        env.getConfig().set(option.get(0).asText(), option.get(1).asText());
      }
      if (program != null) {
        for (TestStep step : program.setupSteps) {
          if (step instanceof FunctionTestStep) ((FunctionTestStep) step).apply(env);
        }
      }
      for (JsonNode statement : question.get("setup")) env.executeSql(statement.asText());
      CompiledPlan plan = null;
      try {
        plan = compiled(env, question.get("inserts"), program, answer);
        Files.writeString(folder.resolve("flink-plan.json"), plan.asJsonString());
      } catch (Exception fault) {
        // Flink runs what it cannot write down.
        if (!messages(fault).contains("Unsupported RelDataType")) throw fault;
        answer.put("noPlan", messages(fault));
      }
      if (question.get("run").asBoolean()) {
        TableResult result =
            plan == null ? env.executeSql(question.get("inserts").get(0).asText()) : plan.execute();
        result.await(60, TimeUnit.SECONDS);
        answer.put("ran", true);
      }
    } catch (Exception | LinkageError fault) {
      answer.put("refused", messages(fault));
    }
  }

  private static CompiledPlan compiled(
      TableEnvironment env, JsonNode inserts, TableTestProgram program, ObjectNode answer)
      throws Exception {
    if (inserts.size() == 1) return env.compilePlanSql(inserts.get(0).asText());
    if (inserts.size() > 1) {
      StatementSet set = env.createStatementSet();
      inserts.forEach(insert -> set.addInsertSql(insert.asText()));
      return set.compilePlan();
    }
    for (TestStep step : program.runSteps) {
      if (!(step instanceof TableApiTestStep table)) continue;
      Field field = TableApiTestStep.class.getDeclaredField("sinkName");
      field.setAccessible(true);
      String sink = (String) field.get(table);
      Table result = table.toTable(env);
      try {
        String query = result.getQueryOperation().asSerializableString();
        answer.put("sql", "INSERT INTO `" + sink + "` " + query);
      } catch (ValidationException unnamed) {
        answer.put("noSql", messages(unnamed));
      }
      return result.insertInto(sink).compilePlan();
    }
    throw new IllegalArgumentException("the program inserts nothing");
  }

  private static String messages(Throwable fault) {
    StringBuilder text = new StringBuilder();
    for (Throwable cause = fault; cause != null; cause = cause.getCause()) {
      text.append(text.length() == 0 ? "" : "\n").append(cause);
    }
    return text.toString();
  }
}
