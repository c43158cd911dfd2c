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
import java.util.Arrays;
import java.util.BitSet;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.StringJoiner;
import java.util.function.Supplier;
import org.compiledplan.kernel.aggregates.AccumulatorForm;
import org.compiledplan.kernel.flink.mapping.FlinkEntry;
import org.compiledplan.kernel.flink.mapping.FlinkKey;
import org.compiledplan.kernel.flink.mapping.FlinkMapping;
import org.compiledplan.kernel.operators.Operators;
import org.compiledplan.kernel.operators.base.BatchContext;
import org.compiledplan.kernel.operators.base.InputRow;
import org.compiledplan.kernel.operators.base.Operator;
import org.compiledplan.kernel.operators.base.OperatorSpec;
import org.compiledplan.kernel.operators.base.Out;
import org.compiledplan.kernel.operators.base.Outcome;
import org.compiledplan.kernel.operators.base.Partial;
import org.compiledplan.kernel.operators.base.Session;
import org.compiledplan.kernel.operators.base.StateAccount;
import org.compiledplan.kernel.operators.base.StateAccount.Change;
import org.compiledplan.kernel.operators.base.StateFormat;
import org.compiledplan.kernel.operators.base.StateKind;
import org.compiledplan.kernel.operators.base.TimedState;
import org.compiledplan.kernel.operators.base.UseAges;
import org.compiledplan.kernel.state.conversion.Conversion;
import org.compiledplan.kernel.state.conversion.StateMapping;
import org.compiledplan.kernel.state.serialization.Tree;
import org.compiledplan.kernel.state.serialization.TreeJson;
import org.compiledplan.kernel.values.RowKinds;
import org.compiledplan.kernel.values.ValueType;

/**
 * Runs operators without Spark, for tests: one JSON request per line on stdin, one answer per line
 * on stdout.
 *
 * <p>Request: {@code {"spec": {...operator spec..., "inputTypes": [["INT", ...], ...],
 * "outputTypes": [...]}, "steps": [{"time": ms, "rows": [{"key", "port", "kind", "values"}],
 * "spec": {...}?}]}}. A step is a micro-batch; its {@code spec}, if present, takes over the state,
 * like a restart with an edited plan; {@code "states": {key: hex}}, beside them, is the initial
 * state, or {@code "savepoint": {"time", "watermark", "written", "facts", "entries": [...]}}, whose
 * keys are their values with commas between. Steps and rows may have a {@code watermark}; with
 * {@code "timeDomain": "event"} in the spec the step's watermark fires timers. With {@code "keeps"}
 * states are cached as objects, and written after some steps. Answer: {@code {"steps": [{"out":
 * [{"key", "kind", "values", "at"?}], "late", "stateRows", "keys", "timers"}], "writes": of
 * states}} or {@code {"error": text}}. A condition is text like {@code 0<3} over the columns of
 * both rows.
 */
public final class OperatorHarness {
  private static final int FOLDED_AT_MOST = 4;
  private static final int CACHED_STEPS = 3;

  private final ObjectMapper mapper = new ObjectMapper();
  private final Map<String, byte[]> states = new LinkedHashMap<>();
  private final Map<String, Long> timers = new HashMap<>();
  private int stateRows;

  /** Outcomes of the rows of the step, and changes of the entries. */
  private Outcome.Counts outcomes;

  private final Map<Change, Long> changes = new EnumMap<>(Change.class);
  private UseAges ages;

  private ValueType[][] inputs;
  private Supplier<OperatorSpec> spec;
  private Operator operator;
  private String uid;
  private boolean eventTime;
  private boolean folds;

  /** True if decoded states are cached for some steps; and the cached states. */
  private boolean caches;

  private final Map<String, State> liveStates = new LinkedHashMap<>();

  /** Number of writes of state bytes. */
  private int writes;

  private OperatorHarness() {}

  public static void main(String[] args) throws Exception {
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
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
      folds = request.path("folds").asBoolean();
      caches = request.path("keeps").asBoolean();
      request
          .path("states")
          .properties()
          .forEach(
              state -> {
                states.put(state.getKey(), HexFormat.of().parseHex(state.getValue().asText()));
                new State(state.getKey())
                    .timer()
                    .ifPresent(time -> timers.put(state.getKey(), time));
              });
      if (request.hasNonNull("savepoint")) imported(request.get("savepoint"));
      ArrayNode steps = answer.putArray("steps");
      for (JsonNode step : request.get("steps")) {
        StateFormat<?> before = operator.stateFormat();
        if (step.hasNonNull("spec")) {
          write();
          use(step.get("spec"));
        }
        if (step.hasNonNull("mapping")) move(step, before);
        run(step, steps.addObject());
        if (steps.size() % CACHED_STEPS == 0) write();
        if (!step.hasNonNull("spec")) checkStates(step);
        if (request.path("reseeds").asBoolean()) seed(step, new HashMap<>(operatorStates()));
      }
      if (caches) write();
      answer.put("writes", writes);
      if (request.path("showStates").asBoolean()) showStates(answer);
      if (request.path("showForms").asBoolean()) showForms(answer);
      if (request.path("exports").asBoolean()) exported(request.path("savepoint"), answer);
    } catch (RuntimeException error) {
      answer.put("error", error.toString());
    }
    return answer;
  }

  private void use(JsonNode spec) {
    JsonNode types = spec.get("inputTypes");
    inputs = new ValueType[types.size()][];
    for (int i = 0; i < inputs.length; i++) inputs[i] = HarnessValues.types(types.get(i));
    JsonNode times = spec.path("ttl");
    long[] ttl = new long[times.size()];
    for (int i = 0; i < ttl.length; i++) ttl[i] = times.get(i).asLong();
    int[][] keys = new int[inputs.length][];
    for (int i = 0; i < keys.length; i++) {
      keys[i] = OperatorSpec.ints(spec.path("ports").path(i).path("key"));
    }
    ages = new UseAges(inputs.length);
    eventTime = spec.path("timeDomain").asText().equals("event");
    this.spec =
        () ->
            new OperatorSpec(
                spec.path("uid").asText(),
                spec.path("type").asText(),
                ttl,
                keys,
                eventTime,
                spec.path("parameters"),
                inputs,
                HarnessValues.types(spec.get("outputTypes")),
                Comparison::new,
                new StateAccount(ages));
    operator = Operators.create(this.spec.get());
    uid = spec.path("uid").asText();
  }

  /** Starts with the state of a savepoint. */
  private void imported(JsonNode savepoint) {
    FlinkMapping mapping =
        FlinkMapping.of(
            new FlinkMapping.Target(
                spec.get(),
                operator.stateFormat(),
                savepoint.path("facts"),
                savepoint.path("written").asLong()));
    Map<String, List<String>> entries = new LinkedHashMap<>();
    for (JsonNode entry : savepoint.path("entries")) {
      Object[] row = mapping.keyRow(new FlinkEntry(entry));
      if (row == null) continue;
      StringJoiner key = new StringJoiner(",");
      for (int column : spec.get().key(0)) key.add(String.valueOf(row[column]));
      entries.computeIfAbsent(key.toString(), k -> new ArrayList<>()).add(entry.toString());
    }
    Map<String, byte[]> imported = new LinkedHashMap<>();
    entries.forEach(
        (key, lines) -> {
          Tree tree = mapping.of(FlinkKey.of(lines));
          if (tree != null) imported.put(key, mapping.encode(tree));
        });
    seed(savepoint, imported);
  }

  /** Shows the states as a savepoint of Flink has them. */
  private void exported(JsonNode savepoint, ObjectNode answer) {
    FlinkMapping mapping =
        FlinkMapping.of(
            new FlinkMapping.Target(
                spec.get(), operator.stateFormat(), savepoint.path("facts"), 0));
    answer.set("described", mapping.described());
    ArrayNode lines = answer.putArray("lines");
    for (byte[] state : operatorStates().values()) mapping.lines(state).forEach(lines::add);
  }

  private static BatchContext context(JsonNode step) {
    return new BatchContext(
        step.path("time").asLong(), step.path("watermark").asLong(Long.MIN_VALUE));
  }

  private void run(JsonNode step, ObjectNode result) {
    BatchContext context = context(step);
    long now = eventTime ? context.watermark() : context.processingTime();
    ArrayNode out = result.putArray("out");
    outcomes = new Outcome.Counts();
    changes.clear();
    ages.clear();
    Map<String, List<InputRow>> byKey = new LinkedHashMap<>();
    for (JsonNode row : step.get("rows")) {
      int port = row.path("port").asInt(0);
      InputRow input =
          new InputRow(
              port,
              (byte) row.path("kind").asInt(0),
              HarnessValues.row(row.get("values"), inputs[port]),
              row.path("watermark").asLong(Long.MIN_VALUE));
      byKey.computeIfAbsent(row.path("key").asText(""), k -> new ArrayList<>()).add(input);
    }
    byKey.forEach(
        (key, rows) -> {
          int before = stateRows;
          Session session = operator.open(state(key), context);
          Emission emission = new Emission(out, key);
          process(session, rows, emission);
          session.close(emission);
          checkAccount(stateRows - before);
        });
    for (Map.Entry<String, Long> timer : new ArrayList<>(timers.entrySet())) {
      if (timer.getValue() > now) continue;
      timers.remove(timer.getKey());
      int before = stateRows;
      State state = state(timer.getKey());
      state.fired(now);
      operator.onTimer(state, context, new Emission(out, timer.getKey()));
      checkAccount(stateRows - before);
    }
    result.put("late", outcomes.of(Outcome.LATE));
    ObjectNode shown = result.putObject("outcomes");
    for (Outcome outcome : Outcome.values())
      if (outcomes.of(outcome) > 0) shown.put(outcome.text(), outcomes.of(outcome));
    shown = result.putObject("changes");
    for (Change change : Change.values())
      if (changes.getOrDefault(change, 0L) > 0) shown.put(change.text(), changes.get(change));
    ArrayNode uses = result.putArray("uses");
    for (int entry = 0; entry < ages.entries(); entry++) {
      ObjectNode histogram = uses.addObject();
      ages.forEach(entry, (end, count) -> histogram.put(end.toString(), count));
    }
    result.put("stateRows", stateRows);
    result.put("keys", states.size());
    result.put("timers", timers.size());
  }

  /** The state of a key, cached or decoded. */
  private State state(String key) {
    State state = caches ? liveStates.computeIfAbsent(key, State::new) : new State(key);
    state.use();
    return state;
  }

  /** Writes and evicts the cached states. */
  private void write() {
    for (State state : liveStates.values()) state.write();
    liveStates.clear();
  }

  /**
   * Passes rows to a session; some of them pre-aggregated, in parts of any size, if the operator
   * supports it.
   */
  private void process(Session session, List<InputRow> rows, Emission emission) {
    if (!folds || operator.partial() == null) {
      for (InputRow row : rows) process(session, row, emission);
      return;
    }
    for (int from = 0, parts = 0; from < rows.size(); parts++) {
      Partial partial = operator.partial();
      InputRow first = rows.get(from);
      int folded = 0;
      while (folded <= parts % FOLDED_AT_MOST
          && from < rows.size()
          && RowKinds.isAdd(rows.get(from).kind())) {
        partial.add(withColumns(rows.get(from++), partial.columns()));
        folded++;
      }
      if (folded == 0) {
        process(session, rows.get(from++), emission);
      } else if (session.merge(first, partial.toBytes(), emission, outcomes) != folded) {
        throw new IllegalStateException("not as many rows as were folded");
      }
    }
  }

  private void process(Session session, InputRow row, Emission emission) {
    outcomes.add(session.process(row, emission), 1);
  }

  /** For every test: the changes that the operator has posted are those of the stored entries. */
  private void checkAccount(int delta) {
    long posted = 0;
    for (Change change : Change.values()) {
      long entries = operator.account().of(change);
      if (entries < 0) throw new IllegalStateException(entries + " entries are " + change.text());
      posted += change.sign() * entries;
      changes.merge(change, entries, Long::sum);
    }
    operator.account().clear();
    if (posted != delta)
      throw new IllegalStateException(
          "changes of " + posted + " entries are posted, the stored ones changed by " + delta);
  }

  /** A row with nulls in all other columns. */
  private static InputRow withColumns(InputRow row, BitSet columns) {
    Object[] values = new Object[row.values().length];
    columns.stream().forEach(at -> values[at] = row.values()[at]);
    return new InputRow(row.port(), row.kind(), values, row.watermark());
  }

  /**
   * For every test: the decoded state encodes to the same bytes, and the operator is due no earlier
   * than its timer.
   */
  private void checkStates(JsonNode step) {
    StateFormat<?> format = operator.stateFormat();
    if (!liveStates.isEmpty()) return;
    for (String key : states.keySet()) {
      State state = new State(key);
      byte[] bytes = state.get();
      int[] count = new int[1];
      format.entryTimes(bytes, (input, writtenAt, time) -> count[0]++);
      if (count[0] != format.entries(bytes)) {
        throw new IllegalStateException(
            "times of " + count[0] + " entries instead of " + format.entries(bytes));
      }
      if (!Arrays.equals(bytes, format.encode(format.decode(bytes)))) {
        throw new IllegalStateException(
            "state that is decoded and encoded differs: " + HexFormat.of().formatHex(bytes));
      }
      OptionalLong due = format.nextDue(bytes, context(step));
      if (due.isPresent()
          && (state.timer().isEmpty() || state.timer().getAsLong() > due.getAsLong())) {
        throw new IllegalStateException("due at " + due + " with a timer at " + state.timer());
      }
    }
  }

  /** Converts the states of the previous operator into those of the current one. */
  private void move(JsonNode step, StateFormat<?> before) {
    Conversion conversion =
        Conversion.of(new StateMapping(step.get("mapping")), before, operator.stateFormat());
    Map<String, byte[]> converted = new LinkedHashMap<>();
    operatorStates().forEach((key, bytes) -> converted.put(key, conversion.convert(bytes)));
    seed(step, converted);
  }

  private Map<String, byte[]> operatorStates() {
    Map<String, byte[]> bytes = new LinkedHashMap<>();
    for (String key : states.keySet()) bytes.put(key, new State(key).get());
    return bytes;
  }

  /** Starts with these states, like a seeded checkpoint. */
  private void seed(JsonNode step, Map<String, byte[]> operatorStates) {
    BatchContext context = context(step);
    states.clear();
    timers.clear();
    stateRows = 0;
    operatorStates.forEach(
        (key, bytes) -> {
          State state = new State(key);
          state.begin(eventTime ? context.watermark() : context.processingTime());
          operator.stateFormat().put(state, bytes, context);
          state.write();
        });
  }

  /** Adds all formats and all forms of accumulators, with their versions. */
  private static void showForms(ObjectNode answer) {
    ObjectNode kinds = answer.putObject("kinds");
    for (StateKind kind : StateKind.values()) kinds.put(kind.text(), kind.version());
    ObjectNode forms = answer.putObject("forms");
    for (AccumulatorForm form : AccumulatorForm.values()) forms.put(form.text(), form.version());
  }

  /** Adds the states as bytes and decoded. */
  private void showStates(ObjectNode answer) {
    answer.set("format", operator.stateFormat().describe());
    ObjectNode shown = answer.putObject("states");
    for (String key : states.keySet()) {
      byte[] bytes = new State(key).get();
      ObjectNode state = shown.putObject(key);
      state.put("bytes", HexFormat.of().formatHex(bytes));
      state.set("means", TreeJson.of(operator.stateFormat().decode(bytes)));
    }
  }

  /** Records the rows emitted for a key, with the time set by a timer. */
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
      for (Object value : values) fields.add(HarnessValues.toJson(value, mapper));
    }
  }

  /** State of one key in the maps above. */
  private final class State extends TimedState {
    private final String key;

    State(String key) {
      this.key = key;
    }

    private void use() {
      reopen();
    }

    @Override
    protected boolean writesLater() {
      return caches;
    }

    @Override
    protected String uid() {
      return uid;
    }

    @Override
    protected byte[] load() {
      return states.get(key);
    }

    @Override
    protected void store(byte[] bytes) {
      writes++;
      states.put(key, bytes);
    }

    @Override
    protected void clear() {
      states.remove(key);
    }

    @Override
    protected void setTimer(long time) {
      if (timers.put(key, time) != null)
        throw new IllegalStateException("two timers for key " + key);
    }

    @Override
    protected void dropTimer(long time) {
      if (!timers.remove(key, time))
        throw new IllegalStateException("no timer at " + time + " for " + key);
    }

    @Override
    protected void countEntries(int delta) {
      stateRows += delta;
    }
  }
}
