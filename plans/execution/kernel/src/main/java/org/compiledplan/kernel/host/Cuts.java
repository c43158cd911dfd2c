package org.compiledplan.kernel.host;

import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.execution.ColumnarRule;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.exchange.ShuffleExchangeExec;
import scala.runtime.AbstractPartialFunction;

/** Puts a {@link Cut} below the shuffle of each stage, in the queries that a session starts. */
final class Cuts extends Rule<SparkPlan> {
  private static final Set<SparkSessionExtensions> PREPARED =
      Collections.newSetFromMap(new WeakHashMap<>());

  /** Has the queries of a session cut; what else runs in it stays as it is. */
  static void prepare(SparkSession session) {
    SparkSessionExtensions extensions =
        ((org.apache.spark.sql.classic.SparkSession) session).extensions();
    synchronized (PREPARED) {
      // A query runs in a copy of its session, which asks the extensions anew.
      if (PREPARED.add(extensions)) extensions.injectColumnar(copy -> new Columnar());
    }
  }

  @Override
  public SparkPlan apply(SparkPlan plan) {
    return plan.transformUp(new Cutting());
  }

  private static final class Columnar extends ColumnarRule {
    @Override
    public Rule<SparkPlan> postColumnarTransitions() {
      return new Cuts();
    }
  }

  private static final class Cutting extends AbstractPartialFunction<SparkPlan, SparkPlan> {
    @Override
    public boolean isDefinedAt(SparkPlan node) {
      return node instanceof ShuffleExchangeExec
          && InternalRows.arePacked(node.output())
          && !(((ShuffleExchangeExec) node).child() instanceof Cut);
    }

    @Override
    public SparkPlan apply(SparkPlan node) {
      ShuffleExchangeExec shuffle = (ShuffleExchangeExec) node;
      return shuffle.withNewChildInternal(new Cut(shuffle.child()));
    }
  }
}
