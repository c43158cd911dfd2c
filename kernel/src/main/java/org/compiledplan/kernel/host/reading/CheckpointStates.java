package org.compiledplan.kernel.host.reading;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.compiledplan.kernel.flink.mapping.FlinkMapping;
import org.compiledplan.kernel.host.runtime.StageRuntime;
import org.compiledplan.kernel.host.runtime.StoredState;
import org.compiledplan.kernel.operators.base.TimedState;
import org.compiledplan.kernel.state.serialization.StateFormatException;
import org.compiledplan.kernel.values.JsonText;

/** Converts the state of one operator in a checkpoint into the neutral form of Flink's state. */
public final class CheckpointStates implements Serializable {
  private final String stages;
  private final String states;
  private final String uid;
  private final String facts;
  private transient volatile ThreadLocal<FlinkMapping> mapping;

  /**
   * @param stages JSON list of the specs passed to {@code Stage.attach}
   * @param states the results of {@code StageHandle.states} by uid, as JSON
   * @param uid the operator
   * @param facts JSON: see {@link FlinkMapping.Target}
   */
  public CheckpointStates(String stages, String states, String uid, String facts) {
    this.stages = stages;
    this.states = states;
    this.uid = uid;
    this.facts = facts;
  }

  private FlinkMapping mapping() {
    if (mapping == null) mapping = ThreadLocal.withInitial(this::create);
    return mapping.get();
  }

  private FlinkMapping create() {
    StoredState state = StoredState.all(stages, states).get(uid);
    return FlinkMapping.of(
        new FlinkMapping.Target(
            StageRuntime.spec(state.part, StoredState::condition),
            state.format,
            JsonText.read(facts, "the facts"),
            0));
  }

  /**
   * Returns Flink's states of the operator as JSON, see docs/reference/savepoint-form.md.
   *
   * @throws StateFormatException if the operator's state is not converted into Flink's
   */
  public String described() {
    return mapping().described().toString();
  }

  /** Returns the reason why the operator's state is not converted into Flink's; empty if it is. */
  public String refusal() {
    try {
      described();
      return "";
    } catch (StateFormatException error) {
      return error.getMessage();
    }
  }

  /**
   * Returns {@code value STRING}: the entries of Flink's states.
   *
   * @param rows the operator's rows, with the columns {@code op}, {@code key} and {@code bytes}
   */
  public Dataset<String> lines(Dataset<Row> rows) {
    FlatMapFunction<Row, String> convert = this::lines;
    return rows.select("key", "bytes").flatMap(convert, Encoders.STRING());
  }

  private Iterator<String> lines(Row row) {
    byte[] stored = row.getAs(1);
    List<String> lines = new ArrayList<>();
    try {
      for (ObjectNode line : mapping().lines(TimedState.split(uid, stored).bytes()))
        lines.add(line.toString());
    } catch (StateFormatException error) {
      throw new StateFormatException(
          "operator " + uid + ", key " + row.getString(0) + ": " + error.getMessage());
    }
    return lines.iterator();
  }
}
