package org.compiledplan.kernel.userfunctions;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
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

  private static FunctionSpec spec(Map<String, String> parameters) {
    ObjectNode spec = JsonNodeFactory.instance.objectNode();
    spec.put("className", Greeting.class.getName()).put("kind", "SCALAR");
    spec.putArray("arguments").add("STRING");
    spec.putArray("literals").addNull();
    spec.put("result", "STRING");
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
  void aFunctionReadsTheJobParametersOfItsRun() {
    assertEquals("hello a", greeting(Map.of()));
    assertEquals("good day a", greeting(Map.of("greeting", "good day")));
    assertEquals("hello a", greeting(Map.of()));
  }
}
