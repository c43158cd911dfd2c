package org.compiledplan.kernel.userfunctions;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.HashSet;
import java.util.Map;
import org.apache.flink.table.annotation.DataTypeHint;
import org.apache.flink.table.functions.AggregateFunction;
import org.apache.flink.table.functions.FunctionContext;
import org.apache.flink.table.functions.ScalarFunction;
import org.junit.jupiter.api.Test;

class UserFunctionsTest {
  /** Reads job parameters. */
  public static class Greeting extends ScalarFunction {
    private transient String greeting;

    @Override
    public void open(FunctionContext context) {
      greeting = context.getJobParameter("greeting", "hello");
    }

    public String eval(String name) {
      return greeting + " " + name;
    }
  }

  /** Counts distinct texts with objects of Java, and of its own. */
  public static class Distinct extends AggregateFunction<Integer, Distinct.Seen> {
    /** State that is no value of SQL. */
    public static class Seen {
      @DataTypeHint(value = "RAW", bridgedTo = HashSet.class)
      public HashSet<Object> texts = new HashSet<>();
    }

    @Override
    public Seen createAccumulator() {
      return new Seen();
    }

    public void accumulate(Seen seen, String text) {
      seen.texts.add(text);
      seen.texts.add(new StringBuilder("longer ").append(text).toString());
      if (text.equals("foreign")) seen.texts.add(JsonNodeFactory.instance);
    }

    @Override
    public Integer getValue(Seen seen) {
      return seen.texts.size();
    }
  }

  private static FunctionSpec spec(Map<String, String> parameters) {
    return spec(Greeting.class, "SCALAR", "STRING", parameters);
  }

  private static FunctionSpec spec(
      Class<?> function, String kind, String result, Map<String, String> parameters) {
    ObjectNode spec = JsonNodeFactory.instance.objectNode();
    spec.put("className", function.getName()).put("kind", kind);
    spec.putArray("arguments").add("STRING");
    spec.putArray("literals").addNull();
    spec.put("result", result);
    parameters.forEach(spec.putObject("parameters")::put);
    return FunctionSpec.of(spec.toString());
  }

  private static Object greeting(Map<String, String> parameters) {
    FunctionSpec spec = spec(parameters);
    UserFunction function = UserFunctions.acquire(spec);
    try {
      return function.call(new Object[] {"a"});
    } finally {
      UserFunctions.release(spec, function);
    }
  }

  @Test
  void rawObjectsInAccumulatorsAreStoredAndRestored() {
    UserFunction function =
        UserFunctions.acquire(spec(Distinct.class, "AGGREGATE", "INT", Map.of()));
    Object seen = function.createAccumulator();
    for (String text : new String[] {"a", "b", "a"}) function.accumulate(seen, new Object[] {text});
    Object restored = function.restored(function.stored(seen));
    function.accumulate(restored, new Object[] {"c"});
    assertEquals(6, function.value(restored));
  }

  @Test
  void rawObjectsOfOtherClassesAreRefused() {
    UserFunction function =
        UserFunctions.acquire(spec(Distinct.class, "AGGREGATE", "INT", Map.of()));
    Object seen = function.createAccumulator();
    function.accumulate(seen, new Object[] {"foreign"});
    RuntimeException refused = assertThrows(RuntimeException.class, () -> function.stored(seen));
    assertTrue(refused.getMessage().contains("JsonNodeFactory, which is neither"));
  }

  @Test
  void aFunctionReadsTheJobParametersOfItsRun() {
    assertEquals("hello a", greeting(Map.of()));
    assertEquals("good day a", greeting(Map.of("greeting", "good day")));
    assertEquals("hello a", greeting(Map.of()));
  }
}
