package org.compiledplan.kernel.values;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

/** Parsing of JSON texts built by the caller, which must be valid. */
public final class JsonText {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private JsonText() {}

  public static JsonNode read(String text) {
    try {
      return MAPPER.readTree(text);
    } catch (JsonProcessingException error) {
      throw new IllegalArgumentException(error);
    }
  }

  /**
   * @param subject subject of the text, for the message
   */
  public static JsonNode read(String text, String subject) {
    try {
      return MAPPER.readTree(text);
    } catch (JsonProcessingException error) {
      throw new IllegalArgumentException(subject + " is no JSON: " + error.getMessage(), error);
    }
  }
}
