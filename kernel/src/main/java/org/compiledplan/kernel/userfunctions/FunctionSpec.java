package org.compiledplan.kernel.userfunctions;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.compiledplan.kernel.values.JsonText;

/**
 * A user function as one place of a plan calls it.
 *
 * @param className full name of its class
 * @param name name in the program, for messages
 * @param kind SCALAR, TABLE or AGGREGATE: where the plan calls it
 * @param arguments Flink's type strings of the arguments
 * @param literals the values of arguments that are literals, as text; null for all others
 * @param result Flink's type string of the result
 * @param parameters job parameters
 * @param attempts calls of an asynchronous function until it fails
 * @param delayMillis time between them
 * @param timeoutMillis time that a call may take
 */
public record FunctionSpec(
    String className,
    String name,
    String kind,
    List<String> arguments,
    List<String> literals,
    String result,
    Map<String, String> parameters,
    int attempts,
    long delayMillis,
    long timeoutMillis)
    implements Serializable {

  /** Reads a function from the text of a JSON object with these fields. */
  public static FunctionSpec of(String text) {
    JsonNode json = JsonText.read(text, "the function");
    Map<String, String> parameters = new TreeMap<>();
    json.path("parameters")
        .properties()
        .forEach(entry -> parameters.put(entry.getKey(), entry.getValue().asText()));
    return new FunctionSpec(
        json.path("className").asText(),
        json.path("name").asText(),
        json.path("kind").asText(),
        texts(json.path("arguments")),
        texts(json.path("literals")),
        json.path("result").asText(),
        parameters,
        json.path("attempts").asInt(),
        json.path("delayMillis").asLong(),
        json.path("timeoutMillis").asLong());
  }

  private static List<String> texts(JsonNode items) {
    List<String> texts = new ArrayList<>();
    for (JsonNode item : items) texts.add(item.isNull() ? null : item.asText());
    return texts;
  }

  /** Returns the name for messages. */
  public String title() {
    return name.isEmpty() || name.equals(className) ? className : name + " (" + className + ")";
  }
}
