package org.compiledplan.kernel.operators.base;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.compiledplan.kernel.values.ValueType;

/** Descriptions of operators for tests of their parts. */
public final class Specs {
  private static final ObjectMapper JSON = new ObjectMapper();

  private Specs() {}

  /** JSON, with apostrophes in place of quotation marks. */
  public static JsonNode json(String text) {
    try {
      return JSON.readTree(text.replace('\'', '"'));
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(text, e);
    }
  }

  /** An operator with these parameters, see {@link #json}. */
  public static OperatorSpec of(String parameters, boolean eventTime) {
    return new OperatorSpec(
        "o-1",
        "test",
        new long[0],
        new int[0][],
        eventTime,
        json(parameters),
        new ValueType[0][],
        new ValueType[0],
        text -> {
          throw new IllegalArgumentException(text);
        },
        new StateAccount(new UseAges(1)));
  }
}
