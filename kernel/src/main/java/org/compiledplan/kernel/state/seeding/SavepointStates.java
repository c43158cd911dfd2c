package org.compiledplan.kernel.state.seeding;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;
import org.compiledplan.kernel.flink.mapping.FlinkEntry;
import org.compiledplan.kernel.flink.mapping.FlinkKey;
import org.compiledplan.kernel.flink.mapping.FlinkMapping;
import org.compiledplan.kernel.host.Conditions;
import org.compiledplan.kernel.host.runtime.InternalRows;
import org.compiledplan.kernel.host.runtime.StageRuntime;
import org.compiledplan.kernel.host.runtime.StoredState;
import org.compiledplan.kernel.host.spark.SparkTypes;
import org.compiledplan.kernel.state.serialization.StateFormatException;
import org.compiledplan.kernel.state.serialization.Tree;
import org.compiledplan.kernel.values.JsonText;

/**
 * Converts Flink's state of one operator into rows for {@link Seeding#seed}, in two steps: {@link
 * #keyed} parses each entry's key, from which the caller computes the key's text; {@link #states}
 * converts the entries of a key.
 */
public final class SavepointStates implements Serializable {
  private final String stages;
  private final String states;
  private final String uid;
  private final String facts;
  private final long written;
  private transient volatile ThreadLocal<Task> task;

  /** The mapping in one task. */
  private static final class Task {
    final int level;
    final UTF8String uid;
    final FlinkMapping mapping;
    final List<UnaryOperator<Object>> toSpark;

    Task(SavepointStates of) {
      StoredState state = StoredState.all(of.stages, of.states).get(of.uid);
      if (state == null)
        throw new IllegalArgumentException("no operator of the plan has the uid " + of.uid);
      level = state.level;
      uid = UTF8String.fromString(of.uid);
      mapping =
          FlinkMapping.of(
              new FlinkMapping.Target(
                  StageRuntime.spec(state.part, Conditions::load),
                  state.format,
                  JsonText.read(of.facts, "the facts"),
                  of.written));
      toSpark = SparkTypes.toSpark(state.part.inputs[0]);
    }
  }

  /**
   * @param stages JSON list of the specs passed to {@code Stage.attach}
   * @param states the results of {@code StageHandle.states} by uid, as JSON
   * @param uid the operator
   * @param facts JSON: what determines the operator's state in Flink beside its parameters
   * @param written the time of last write of entries that have none, in ms
   * @throws StateFormatException if Flink's state of this type of operator is not known
   */
  public SavepointStates(String stages, String states, String uid, String facts, long written) {
    this.stages = stages;
    this.states = states;
    this.uid = uid;
    this.facts = facts;
    this.written = written;
    task();
  }

  private Task task() {
    if (task == null) task = ThreadLocal.withInitial(() -> new Task(this));
    return task.get();
  }

  /**
   * Returns the columns of the operator's first input with the values of the key, all others null,
   * and {@code line}.
   *
   * @param lines {@code value STRING}: entries of the operator in the neutral form
   */
  public Dataset<Row> keyed(Dataset<Row> lines) {
    StructType input = StoredState.all(stages, states).get(uid).part.inputs[0];
    StructType schema = ((StructType) SparkTypes.nullable(input)).add("line", "string");
    return InternalRows.converted(lines, this, "keyed", schema, "value");
  }

  /** The row of an entry; null if the operator does not need it. Spark calls it. */
  public InternalRow keyed(UTF8String line) {
    Task task = task();
    FlinkEntry entry = new FlinkEntry(JsonText.read(line.toString(), "an entry"));
    Object[] key = task.mapping.keyRow(entry);
    if (key == null) return null;
    Object[] row = new Object[key.length + 1];
    for (int i = 0; i < key.length; i++) row[i] = SparkTypes.apply(task.toSpark.get(i), key[i]);
    row[key.length] = line;
    return new GenericInternalRow(row);
  }

  /**
   * Returns {@link SeedRows#SCHEMA}.
   *
   * @param keys {@code key STRING, lines ARRAY<STRING>}: all entries of each key
   */
  public Dataset<Row> states(Dataset<Row> keys) {
    return InternalRows.converted(keys, this, "state", SeedRows.SCHEMA, "key", "lines");
  }

  /** The state of a key; null if nothing remains. Spark calls it. */
  public InternalRow state(UTF8String key, ArrayData lines) {
    Task task = task();
    List<String> entries = new ArrayList<>(lines.numElements());
    for (int i = 0; i < lines.numElements(); i++) entries.add(lines.getUTF8String(i).toString());
    try {
      Tree tree = task.mapping.of(FlinkKey.of(entries));
      if (tree == null) return null;
      return new GenericInternalRow(
          new Object[] {task.level, task.uid, key, task.mapping.encode(tree)});
    } catch (StateFormatException error) {
      throw new StateFormatException(
          "operator " + uid + ", key " + key + ": " + error.getMessage());
    }
  }
}
