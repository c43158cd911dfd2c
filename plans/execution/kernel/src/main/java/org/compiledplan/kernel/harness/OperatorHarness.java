package org.compiledplan.kernel.harness;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.compiledplan.kernel.operators.BatchContext;
import org.compiledplan.kernel.operators.InputRow;
import org.compiledplan.kernel.operators.Operator;
import org.compiledplan.kernel.operators.OperatorSpec;
import org.compiledplan.kernel.operators.Operators;
import org.compiledplan.kernel.operators.Out;
import org.compiledplan.kernel.operators.Session;
import org.compiledplan.kernel.operators.TimedState;
import org.compiledplan.kernel.values.ValueType;

/**
 * Runs operators without Spark, for tests: one JSON request a line on stdin, one answer a line on stdout.
 *
 * <p>Request: {@code {"spec": {...operator spec..., "inputTypes": [["INT", ...], ...], "outputTypes":
 * [...]}, "steps": [{"time": ms, "rows": [{"key", "port", "kind", "values"}], "spec": {...}?}]}}. A step is
 * a micro-batch; its {@code spec}, if given, takes over the state, as a restart with an edited plan does;
 * {@code "states": {key: hex}}, beside them, is what there is at the start. Steps
 * and rows may have a {@code watermark}; with {@code "timeDomain": "event"} in the spec the step's fires timers.
 * Answer: {@code {"steps": [{"out": [{"key", "kind", "values", "at"?}], "stateRows", "keys", "timers"}]}} or
 * {@code {"error": text}}. A condition is text like {@code 0<3} over the columns of both rows.
 */
public final class OperatorHarness {
  private final ObjectMapper mapper = new ObjectMapper();
  private final Map<String, byte[]> states = new LinkedHashMap<>();
  private final Map<String, Long> timers = new HashMap<>();
  private int stateRows;
  private ValueType[][] inputs;
  private Operator operator;
  private boolean eventTime;

  private OperatorHarness() {}

  public static void main(String[] args) throws Exception {
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      OperatorHarness harness = new OperatorHarness();
      out.println(harness.answer(harness.mapper.readTree(line)));
      out.flush();
    }
  }

  private ObjectNode answer(JsonNode request) {
    ObjectNode answer = mapper.createObjectNode();
    try {
      use(request.get("spec"));
      request.path("states").properties().forEach(state -> {
        states.put(state.getKey(), HexFormat.of().parseHex(state.getValue().asText()));
        new State(state.getKey()).timer().ifPresent(time -> timers.put(state.getKey(), time));
      });
      ArrayNode steps = answer.putArray("steps");
      for (JsonNode step : request.get("steps")) {
        if (step.hasNonNull("spec")) use(step.get("spec"));
        run(step, steps.addObject());
      }
    } catch (RuntimeException error) {
      answer.put("error", error.toString());
    }
    return answer;
  }

  private void use(JsonNode spec) {
    JsonNode types = spec.get("inputTypes");
    inputs = new ValueType[types.size()][];
    for (int i = 0; i < inputs.length; i++) inputs[i] = JsonValues.types(types.get(i));
    OperatorSpec parsed = new OperatorSpec(spec, inputs, JsonValues.types(spec.get("outputTypes")), Comparison::new);
    eventTime = parsed.eventTime();
    operator = Operators.create(parsed);
  }

  private void run(JsonNode step, ObjectNode result) {
    BatchContext context =
        new BatchContext(step.path("time").asLong(), step.path("watermark").asLong(Long.MIN_VALUE));
    long now = eventTime ? context.watermark : context.processingTime;
    ArrayNode out = result.putArray("out");
    Map<String, List<InputRow>> byKey = new LinkedHashMap<>();
    for (JsonNode row : step.get("rows")) {
      int port = row.path("port").asInt(0);
      InputRow input = new InputRow(
          port, (byte) row.path("kind").asInt(0), JsonValues.row(row.get("values"), inputs[port]),
          row.path("watermark").asLong(Long.MIN_VALUE));
      byKey.computeIfAbsent(row.path("key").asText(""), k -> new ArrayList<>()).add(input);
    }
    byKey.forEach((key, rows) -> {
      Session session = operator.open(new State(key), context);
      Emission emission = new Emission(out, key);
      for (InputRow row : rows) session.process(row, emission);
      session.close(emission);
    });
    for (Map.Entry<String, Long> timer : new ArrayList<>(timers.entrySet())) {
      if (timer.getValue() > now) continue;
      timers.remove(timer.getKey());
      State state = new State(timer.getKey());
      state.fired(now);
      operator.onTimer(state, context, new Emission(out, timer.getKey()));
    }
    result.put("stateRows", stateRows);
    result.put("keys", states.size());
    result.put("timers", timers.size());
  }

  /** Notes what is emitted for a key, with the time that a timer gave. */
  private final class Emission implements Out {
    private final ArrayNode out;
    private final String key;
    private Long at;

    Emission(ArrayNode out, String key) {
      this.out = out;
      this.key = key;
    }

    @Override
    public void at(long time) {
      at = time;
    }

    @Override
    public void emit(byte kind, Object[] values) {
      ObjectNode row = out.addObject();
      row.put("key", key);
      row.put("kind", kind);
      if (at != null) row.put("at", at);
      ArrayNode fields = row.putArray("values");
      for (Object value : values) fields.add(JsonValues.toJson(value, mapper));
    }
  }

  /** State of one key in the maps above. */
  private final class State extends TimedState {
    private final String key;

    State(String key) {
      this.key = key;
    }

    @Override
    protected byte[] load() {
      return states.get(key);
    }

    @Override
    protected void store(byte[] bytes) {
      states.put(key, bytes);
    }

    @Override
    protected void clear() {
      states.remove(key);
    }

    @Override
    protected void setTimer(long time) {
      if (timers.put(key, time) != null) throw new IllegalStateException("two timers for key " + key);
    }

    @Override
    protected void dropTimer(long time) {
      if (!timers.remove(key, time)) throw new IllegalStateException("no timer at " + time + " for " + key);
    }

    @Override
    protected void countEntries(int delta) {
      stateRows += delta;
    }
  }
}
