package org.compiledplan.kernel.host.versions;

import java.util.List;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.streaming.runtime.MicroBatchExecution;

/** Names of streaming sources, by which a checkpoint stores their offsets. */
interface SourceNaming {
  /** Returns true if a node is a streaming source that can have a name. */
  boolean canName(LogicalPlan node);

  /** The streaming source under a name. */
  LogicalPlan named(LogicalPlan source, String name);

  /**
   * The names of a started query's sources, in the order of its progress reports; empty for a
   * source without a name.
   */
  List<String> of(MicroBatchExecution query);
}
