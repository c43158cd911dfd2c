package org.compiledplan.kernel.formats.registry;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.avro.Schema;
import org.apache.avro.SchemaParseException;
import org.compiledplan.kernel.formats.base.DataException;

/**
 * The schemas of a registry with Confluent's HTTP API. Answers are cached for the life of the
 * process: a schema id is immutable.
 */
public final class SchemaRegistry {
  private static final Map<String, SchemaRegistry> SHARED = new ConcurrentHashMap<>();
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final RegistryHttp http;
  private final Map<Integer, Schema> byId = new ConcurrentHashMap<>();
  private final Map<String, Integer> ids = new ConcurrentHashMap<>();

  private SchemaRegistry(String settings) {
    http = new RegistryHttp(settings);
  }

  /**
   * The registry client shared by all tasks of this process.
   *
   * @param settings a JSON object of `url` and the settings of Confluent's client
   */
  public static SchemaRegistry of(String settings) {
    return SHARED.computeIfAbsent(settings, SchemaRegistry::new);
  }

  /**
   * The schema of an id.
   *
   * @param table name of the table, for messages
   */
  public Schema schema(int id, String table) {
    return byId.computeIfAbsent(id, unknown -> fetched(id, table));
  }

  private Schema fetched(int id, String table) {
    RegistryHttp.Answer answer = http.get("/schemas/ids/" + id, table);
    if (answer.status() == RegistryHttp.NOT_FOUND) {
      throw new DataException("the schema registry " + http + " has no schema with the id " + id);
    }
    return parsed(http.successful(answer, table), "the schema with the id " + id, table);
  }

  /**
   * The id of a schema, registered under a subject if it is new.
   *
   * @param table name of the table, for messages
   */
  public int register(String subject, Schema schema, String table) {
    String text = schema.toString();
    return ids.computeIfAbsent(subject + "\n" + text, unknown -> registered(subject, text, table));
  }

  private int registered(String subject, String schema, String table) {
    ObjectNode body = MAPPER.createObjectNode().put("schema", schema);
    String path = "/subjects/" + URLEncoder.encode(subject, StandardCharsets.UTF_8) + "/versions";
    RegistryHttp.Answer answer = http.post(path.replace("+", "%20"), body.toString(), table);
    return http.successful(answer, table + ", subject " + subject).path("id").asInt();
  }

  /** The schema in an answer, with the schemas that it references. */
  private Schema parsed(JsonNode answer, String subject, String table) {
    String type = answer.path("schemaType").asText("AVRO");
    if (!type.equals("AVRO")) {
      throw new DataException(subject + " in the schema registry " + http + " is of type " + type);
    }
    Schema.Parser parser = new Schema.Parser();
    refer(parser, answer, table);
    try {
      return parser.parse(answer.path("schema").asText());
    } catch (SchemaParseException e) {
      throw new DataException(
          subject + " in the schema registry " + http + " is no schema of Avro: " + e.getMessage());
    }
  }

  private void refer(Schema.Parser parser, JsonNode answer, String table) {
    for (JsonNode reference : answer.path("references")) {
      if (parser.getTypes().containsKey(reference.path("name").asText())) continue;
      String subject =
          URLEncoder.encode(reference.path("subject").asText(), StandardCharsets.UTF_8);
      String path = "/subjects/" + subject + "/versions/" + reference.path("version").asText();
      JsonNode referenced = http.successful(http.get(path.replace("+", "%20"), table), table);
      refer(parser, referenced, table);
      parser.parse(referenced.path("schema").asText());
    }
  }
}
