package org.compiledplan.kernel.host.runtime;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Arrays;
import org.apache.spark.util.AccumulatorV2;
import org.compiledplan.kernel.operators.base.Outcome;
import org.compiledplan.kernel.operators.base.StateAccount;
import org.compiledplan.kernel.operators.base.UseAges;

/**
 * Counts of an operator in one accumulator: rows in by input and by outcome, rows out, changes of
 * the state's entries by reason, the change of their number and of their bytes, and the ages of
 * entries when rows use them. Its value is one array, in which the ages come last.
 */
public final class OperatorCounts extends AccumulatorV2<long[], long[]> {
  private static final int STATE_ROWS = 0;
  private static final int STATE_BYTES = 1;
  private static final int ROWS_OUT = 2;
  private static final int OUTCOMES = 3;
  private static final int CHANGES = OUTCOMES + Outcome.values().length;
  private static final int INPUTS = CHANGES + StateAccount.Change.values().length;

  private final long[] counts;
  private final UseAges ages;

  OperatorCounts(int inputs) {
    counts = new long[INPUTS + inputs];
    ages = new UseAges(inputs);
  }

  /** The ages at uses; the operator's account adds to them at once. */
  UseAges ages() {
    return ages;
  }

  public void addStateRows(long rows) {
    counts[STATE_ROWS] += rows;
  }

  public void addStateBytes(long bytes) {
    counts[STATE_BYTES] += bytes;
  }

  public void addRowsOut(long rows) {
    counts[ROWS_OUT] += rows;
  }

  public void addRowsIn(int input, long rows) {
    counts[INPUTS + input] += rows;
  }

  void add(Outcome.Counts outcomes) {
    for (Outcome outcome : Outcome.values())
      counts[OUTCOMES + outcome.ordinal()] += outcomes.of(outcome);
  }

  /** Adds the changes of an account, which starts anew. */
  void take(StateAccount account) {
    for (StateAccount.Change change : StateAccount.Change.values())
      counts[CHANGES + change.ordinal()] += account.of(change);
    account.clear();
  }

  long of(Outcome outcome) {
    return counts[OUTCOMES + outcome.ordinal()];
  }

  public long stateRows() {
    return counts[STATE_ROWS];
  }

  public long stateBytes() {
    return counts[STATE_BYTES];
  }

  public long rowsOut() {
    return counts[ROWS_OUT];
  }

  public long rowsIn() {
    return Arrays.stream(counts, INPUTS, counts.length).sum();
  }

  /** Rows in without an outcome; 0 unless the operator has a fault. */
  public long unaccountedRows() {
    return rowsIn() - Arrays.stream(counts, OUTCOMES, CHANGES).sum();
  }

  /** Changes of entries without a reason; 0 unless the operator has a fault. */
  public long unaccountedEntries() {
    long entries = stateRows();
    for (StateAccount.Change change : StateAccount.Change.values())
      entries -= change.sign() * counts[CHANGES + change.ordinal()];
    return entries;
  }

  /** The counts as JSON, see {@link StageHandle#metrics}. */
  void describe(ObjectNode to) {
    to.put("stateRows", stateRows());
    to.put("stateBytes", stateBytes());
    to.put("rowsIn", rowsIn());
    to.put("rowsOut", rowsOut());
    ArrayNode inputs = to.putArray("rowsInByInput");
    for (int at = INPUTS; at < counts.length; at++) inputs.add(counts[at]);
    ObjectNode outcomes = to.putObject("rowsInByOutcome");
    for (Outcome outcome : Outcome.values())
      put(outcomes, outcome.text(), counts[OUTCOMES + outcome.ordinal()]);
    ObjectNode changes = to.putObject("stateChanges");
    for (StateAccount.Change change : StateAccount.Change.values())
      put(changes, change.text(), counts[CHANGES + change.ordinal()]);
    ArrayNode uses = to.putArray("useAges");
    for (int entry = 0; entry < ages.entries(); entry++) {
      ObjectNode histogram = uses.addObject();
      ages.forEach(entry, (end, count) -> histogram.put(end.toString(), count));
    }
    to.put("unaccountedRows", unaccountedRows());
    to.put("unaccountedEntries", unaccountedEntries());
  }

  private static void put(ObjectNode to, String name, long count) {
    if (count > 0) to.put(name, count);
  }

  /** The value of no counts. */
  long[] none() {
    return new long[counts.length];
  }

  /** The counts without others of the same operator. */
  OperatorCounts without(long[] surplus) {
    OperatorCounts rest = copy();
    rest.add(Arrays.stream(surplus).map(count -> -count).toArray());
    return rest;
  }

  @Override
  public boolean isZero() {
    return ages.isEmpty() && Arrays.stream(counts).allMatch(count -> count == 0);
  }

  @Override
  public OperatorCounts copy() {
    OperatorCounts copy = new OperatorCounts(counts.length - INPUTS);
    copy.add(value());
    return copy;
  }

  @Override
  public void reset() {
    Arrays.fill(counts, 0);
    ages.clear();
  }

  @Override
  public void add(long[] more) {
    for (int at = 0; at < counts.length; at++) counts[at] += more[at];
    ages.addAll(more, counts.length);
  }

  @Override
  public void merge(AccumulatorV2<long[], long[]> task) {
    add(task.value());
  }

  @Override
  public long[] value() {
    long[] ages = this.ages.counts(), value = Arrays.copyOf(counts, counts.length + ages.length);
    System.arraycopy(ages, 0, value, counts.length, ages.length);
    return value;
  }
}
