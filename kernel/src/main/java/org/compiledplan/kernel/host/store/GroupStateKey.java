package org.compiledplan.kernel.host.store;

import org.apache.spark.sql.streaming.GroupState;
import org.compiledplan.kernel.host.runtime.StageRuntime;
import org.compiledplan.kernel.operators.base.TimeMath;
import org.compiledplan.kernel.operators.base.TimedState;

/** The state of one key in {@code flatMapGroupsWithState}: the value and the key's timeout. */
public final class GroupStateKey extends TimedState {
  private final StageRuntime.Hosted to;
  private final GroupState<byte[]> state;

  public GroupStateKey(StageRuntime.Hosted to, GroupState<byte[]> state) {
    this.to = to;
    this.state = state;
  }

  @Override
  protected String uid() {
    return to.uid;
  }

  @Override
  protected byte[] load() {
    return state.exists() ? state.get() : null;
  }

  @Override
  protected void store(byte[] bytes) {
    state.update(bytes);
    timer().ifPresent(this::setTimer);
  }

  @Override
  protected void clear() {
    state.remove();
  }

  @Override
  public void setTimer(long time) {
    state.setTimeoutDuration(Math.max(1, TimeMath.minus(time, state.getCurrentProcessingTimeMs())));
  }

  @Override
  protected void dropTimer(long time) {
    // A key has one timeout, which the next one replaces.
  }

  @Override
  protected void countEntries(int delta) {
    to.counts.addStateRows(delta);
  }

  @Override
  protected void countBytes(int delta) {
    to.counts.addStateBytes(delta);
  }
}
