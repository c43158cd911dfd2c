package org.compiledplan.kernel.host.plain;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.compiledplan.kernel.host.Conditions;
import org.compiledplan.kernel.host.runtime.InternalRows;
import org.compiledplan.kernel.host.runtime.StageKeys;
import org.compiledplan.kernel.host.runtime.StageMetrics;
import org.compiledplan.kernel.host.runtime.StageRuntime;
import org.compiledplan.kernel.host.runtime.StageSpec;
import org.compiledplan.kernel.operators.base.BatchContext;
import org.compiledplan.kernel.operators.base.TimedState;

/** Hosts a stage in a {@link PlainQuery}: the operators of {@code TransformHost}, without Spark. */
final class PlainStage implements PlainQuery.Step {
  /** The rows of one key. */
  private record Group(String op, String key) {}

  private final PlainQuery query;
  private final StageSpec spec;
  private final StageRuntime runtime;
  private final RDD<InternalRow> input;
  private final PlainRows output;

  /** Columns of the struct in packed rows. */
  private final int width;

  private PlainMemory memory;

  PlainStage(PlainQuery query, Dataset<Row> input, StageSpec spec, StageMetrics metrics) {
    this.query = query;
    this.spec = spec;
    runtime = new StageRuntime(spec, metrics, Conditions::load);
    this.input = query.planned(InternalRows.packed(input, spec.inputSchema));
    output = query.rows();
    width = spec.inputSchema.length();
  }

  PlainRows output() {
    return output;
  }

  @Override
  public void run(PlainQuery.Batch batch) {
    memory = batch.memory();
    Map<Group, List<InternalRow>> groups = new LinkedHashMap<>();
    for (InternalRow row : PlainQuery.computed(input)) {
      String key = row.isNullAt(StageKeys.KEY) ? null : row.getString(StageKeys.KEY);
      groups
          .computeIfAbsent(new Group(row.getString(StageKeys.OP), key), g -> new ArrayList<>())
          .add(row.getStruct(InternalRows.PACKED, width));
    }
    List<InternalRow> emitted = new ArrayList<>();
    groups.forEach((group, rows) -> take(group, rows, batch, emitted));
    fire(batch, emitted);
    output.set(emitted);
  }

  /** Starts the counts anew: the last batch may have failed halfway. */
  void begin() {
    for (StageSpec.OperatorPart part : spec.operators) {
      StageRuntime.Hosted hosted = runtime.operator(part.uid);
      hosted.operator.account().clear();
      hosted.counts.reset();
    }
  }

  /** Stores the state of a key with which an operator begins; none if another stage has it. */
  void store(String uid, String key, byte[] bytes, PlainQuery.Batch batch) {
    StageRuntime.Hosted to = runtime.operator(uid);
    if (to == null) return;
    memory = batch.memory();
    State state =
        new State(to, new PlainMemory.Id(uid, key)) {
          @Override
          protected void countEntries(int delta) {
            // Not a change of this run.
          }
        };
    state.begin(now(to, batch));
    to.operator.stateFormat().put(state, bytes, context(to, batch));
  }

  private void take(
      Group group, List<InternalRow> rows, PlainQuery.Batch batch, List<InternalRow> emitted) {
    StageRuntime.Hosted to = runtime.operator(group.op);
    if (to == null) {
      runtime
          .pass(StageKeys.of(group.op, group.key), rows.iterator())
          .forEachRemaining(emitted::add);
      return;
    }
    BatchContext context = context(to, batch);
    State state = new State(to, new PlainMemory.Id(to.uid, group.key));
    runtime.process(to, group.key, rows.iterator(), state, context).forEachRemaining(emitted::add);
  }

  /** Fires the timers that are due, and those that become due meanwhile. */
  private void fire(PlainQuery.Batch batch, List<InternalRow> emitted) {
    Map<String, Long> nowByUid = new HashMap<>();
    for (StageSpec.OperatorPart part : spec.operators) {
      nowByUid.put(part.uid, now(runtime.operator(part.uid), batch));
    }
    for (List<PlainMemory.Timer> due = memory.takeDue(nowByUid);
        !due.isEmpty();
        due = memory.takeDue(nowByUid)) {
      for (PlainMemory.Timer timer : due) {
        StageRuntime.Hosted to = runtime.operator(timer.id().uid());
        State state = new State(to, timer.id());
        state.fired(nowByUid.get(to.uid));
        Iterator<InternalRow> rows = runtime.fire(to, state, context(to, batch));
        rows.forEachRemaining(emitted::add);
      }
    }
  }

  /** Time in ms up to which timers of an operator fire in a batch. */
  private static long now(StageRuntime.Hosted of, PlainQuery.Batch batch) {
    return of.eventTime ? batch.memory().watermark() : batch.millis();
  }

  private BatchContext context(StageRuntime.Hosted to, PlainQuery.Batch batch) {
    return new BatchContext(
        batch.millis(),
        spec.hasWatermark() ? to.watermark(batch.memory().watermark()) : Long.MIN_VALUE);
  }

  /** State of one key. */
  private class State extends TimedState {
    private final StageRuntime.Hosted to;
    private final PlainMemory.Id id;

    State(StageRuntime.Hosted to, PlainMemory.Id id) {
      this.to = to;
      this.id = id;
    }

    @Override
    protected String uid() {
      return to.uid;
    }

    @Override
    protected byte[] load() {
      return memory.get(id);
    }

    @Override
    protected void store(byte[] bytes) {
      memory.put(id, bytes);
    }

    @Override
    protected void clear() {
      memory.remove(id);
    }

    @Override
    protected long due(long expiry) {
      return to.eventTime ? to.delayed(expiry) : to.roundUp(expiry);
    }

    @Override
    protected void setTimer(long time) {
      memory.setTimer(id, time);
    }

    @Override
    protected void dropTimer(long time) {
      memory.dropTimer(id);
    }

    @Override
    protected void countEntries(int delta) {
      to.counts.addStateRows(delta);
    }
  }
}
