package org.compiledplan.kernel.values;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

/** JSON texts that the caller has made, which are an error of its own if they are none. */
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
   * @param what what the text is, for the message
   */
  public static JsonNode read(String text, String subject) {
    try {
      return MAPPER.readTree(text);
    } catch (JsonProcessingException error) {
      throw new IllegalArgumentException(subject + " is no JSON: " + error.getMessage(), error);
    }
  }
}
