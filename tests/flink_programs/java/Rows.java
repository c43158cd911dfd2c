import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.flink.formats.json.JsonToRowDataConverters;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.DeserializationFeature;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ArrayNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.table.data.conversion.DataStructureConverter;
import org.apache.flink.table.data.conversion.DataStructureConverters;
import org.apache.flink.table.types.DataType;

/**
 * Prints what sinks' files hold as Flink's rows print themselves, behind + or -.
 *
 * <p>stdin: sinks by name, each with `folder` and `schema`; stdout: lists of rows by name.
 */
public final class Rows {
  private static final ObjectMapper JSON =
      new ObjectMapper().configure(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS, true);

  private final JsonToRowDataConverters.JsonToRowDataConverter reader;
  private final DataStructureConverter<Object, Object> rows;

  private Rows(DataType type) {
    reader = JsonRows.reader(type.getLogicalType());
    rows = DataStructureConverters.getConverter(type);
    rows.open(Rows.class.getClassLoader());
  }

  public static void main(String[] none) throws Exception {
    TableEnvironment env = TableEnvironment.create(EnvironmentSettings.inStreamingMode());
    ObjectNode answer = JSON.createObjectNode();
    int number = 0;
    for (Map.Entry<String, JsonNode> sink : JSON.readTree(System.in).properties()) {
      ArrayNode texts = answer.putArray(sink.getKey());
      List<Path> files = files(Path.of(sink.getValue().get("folder").asText()));
      if (files.isEmpty()) continue;
      List<String> schema = new ArrayList<>();
      sink.getValue().get("schema").forEach(column -> schema.add(column.asText()));
      try {
        DataType type = JsonRows.declared(env, "sink" + number++, schema).toPhysicalRowDataType();
        new Rows(type).read(files, texts);
      } catch (Exception fault) {
        texts.add("+unreadable: " + fault);
      }
    }
    System.out.println(JSON.writeValueAsString(answer));
    System.exit(0);
  }

  private void read(List<Path> files, ArrayNode texts) throws IOException {
    for (Path file : files) {
      for (String line : Files.readAllLines(file)) {
        if (line.isBlank()) continue;
        JsonNode event = JSON.readTree(line);
        if (event.size() == 3 && event.has("before") && event.has("op")) {
          add(texts, "-", event.get("before"), file);
          add(texts, "+", event.get("after"), file);
        } else {
          add(texts, "+", event, file);
        }
      }
    }
  }

  private void add(ArrayNode texts, String sign, JsonNode row, Path file) {
    if (row.isNull()) return;
    for (Path part : file) {
      String[] partition = part.toString().split("=", 2);
      if (partition.length == 2) ((ObjectNode) row).put(partition[0], partition[1]);
    }
    String text = rows.toExternal(reader.convert(row)).toString();
    texts.add(sign + text.substring(text.startsWith("+I") ? 2 : 0));
  }

  /** The files of a folder that are no files of the writer's own. */
  private static List<Path> files(Path folder) throws IOException {
    if (!Files.exists(folder)) return List.of();
    try (Stream<Path> walk = Files.walk(folder)) {
      return walk.filter(Files::isRegularFile)
          .filter(file -> !folder.relativize(file).toString().matches("(.*/)?[._].*"))
          .sorted()
          .collect(Collectors.toList());
    }
  }
}
