package org.compiledplan.kernel.savepoint;

import org.compiledplan.kernel.state.Tree;

/** Group aggregates: the accumulators and the number of rows. */
final class GroupAggregateMapping extends StateMapping {
  GroupAggregateMapping(Target target) {
    super(target);
  }

  @Override
  public Tree of(FlinkKey key) {
    return null;
  }
}
