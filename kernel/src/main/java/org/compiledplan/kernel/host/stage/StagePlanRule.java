package org.compiledplan.kernel.host.stage;

import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.execution.BinaryExecNode;
import org.apache.spark.sql.execution.ColumnarRule;
import org.apache.spark.sql.execution.SortExec;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.exchange.ShuffleExchangeExec;
import org.apache.spark.sql.execution.streaming.operators.stateful.flatmapgroupswithstate.FlatMapGroupsWithStateExec;
import org.apache.spark.sql.execution.streaming.operators.stateful.transformwithstate.TransformWithStateExec;
import org.apache.spark.sql.streaming.StatefulProcessor;
import org.apache.spark.sql.types.StructType;
import org.compiledplan.kernel.host.runtime.BypassedRows;
import org.compiledplan.kernel.host.runtime.InternalRows;
import org.compiledplan.kernel.host.shuffle.AppendBypassed;
import org.compiledplan.kernel.host.shuffle.Gather;
import org.compiledplan.kernel.host.spark.DriverOnlyChild;
import org.compiledplan.kernel.host.versions.SparkGate;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.AbstractPartialFunction;

/**
 * Rewrites the physical plans of stages in a session's queries: inserts a {@link DriverOnlyChild}
 * below each stage's shuffle, replaces the sort above it by a {@link Gather}, and adds a {@link
 * AppendBypassed} above the stage; in real-time mode, which has no sort, it adds an {@link
 * InputEnd} below the stage.
 */
final class StagePlanRule extends Rule<SparkPlan> {
  private static final Set<SparkSessionExtensions> PREPARED =
      Collections.newSetFromMap(new WeakHashMap<>());

  /** Applies the rule to the queries of a session; other plans are not changed. */
  static void prepare(SparkSession session) {
    SparkSessionExtensions extensions =
        ((org.apache.spark.sql.classic.SparkSession) session).extensions();
    synchronized (PREPARED) {
      // A query runs in a copy of its session, which evaluates the extensions again.
      if (PREPARED.add(extensions)) extensions.injectColumnar(copy -> new Columnar());
    }
  }

  @Override
  public SparkPlan apply(SparkPlan plan) {
    return plan.transformUp(new Cutting()).transformUp(new Gatherings()).transformUp(new Ends());
  }

  private static final class Columnar extends ColumnarRule {
    @Override
    public Rule<SparkPlan> postColumnarTransitions() {
      return new StagePlanRule();
    }
  }

  private static final class Cutting extends AbstractPartialFunction<SparkPlan, SparkPlan> {
    @Override
    public boolean isDefinedAt(SparkPlan node) {
      return node instanceof ShuffleExchangeExec
          && InternalRows.arePacked(node.output())
          && !(((ShuffleExchangeExec) node).child() instanceof DriverOnlyChild);
    }

    @Override
    public SparkPlan apply(SparkPlan node) {
      ShuffleExchangeExec shuffle = (ShuffleExchangeExec) node;
      return shuffle.withNewChildInternal(new DriverOnlyChild(shuffle.child()));
    }
  }

  /** Returns the {@code transformWithState} host of a stage; null if the node is none. */
  private static TransformHost host(Object node) {
    if (!(node instanceof TransformWithStateExec transform)) return null;
    StatefulProcessor<?, ?, ?> processor = transform.statefulProcessor();
    return processor instanceof TransformHost host ? host : null;
  }

  private static final class Ends extends AbstractPartialFunction<SparkPlan, SparkPlan> {
    @Override
    public boolean isDefinedAt(SparkPlan node) {
      return host(node) != null && SparkGate.SPARK.isRealTime((TransformWithStateExec) node);
    }

    @Override
    public SparkPlan apply(SparkPlan node) {
      BinaryExecNode stage = (BinaryExecNode) node;
      SparkPlan below = host(node).ending(stage.left());
      if (below == stage.left()) return node;
      return node.withNewChildren(
          CollectionConverters.asScala(List.of(below, stage.right())).toSeq());
    }
  }

  private static final class Gatherings extends AbstractPartialFunction<SparkPlan, SparkPlan> {
    @Override
    public boolean isDefinedAt(SparkPlan node) {
      return isStage(node) && isSort(((BinaryExecNode) node).left());
    }

    @Override
    public SparkPlan apply(SparkPlan node) {
      BinaryExecNode stage = (BinaryExecNode) node;
      BypassedRows bypassed = bypassed(stage);
      Gather gather = new Gather((SortExec) stage.left(), bypassed);
      SparkPlan gathered =
          node.withNewChildren(
              CollectionConverters.asScala(List.of(gather, stage.right())).toSeq());
      return bypassed == null ? gathered : new AppendBypassed(gathered, bypassed);
    }

    private static BypassedRows bypassed(BinaryExecNode stage) {
      TransformHost host = host(stage);
      if (host == null) return null;
      Attribute struct = stage.left().output().apply(InternalRows.PACKED);
      return host.bypassed(((StructType) struct.dataType()).length());
    }

    /**
     * Returns true if the node reads groups of rows one after the other; rows and seeds by key are
     * merged.
     */
    private static boolean isStage(SparkPlan node) {
      return node instanceof TransformWithStateExec
          || node instanceof FlatMapGroupsWithStateExec
              && !((FlatMapGroupsWithStateExec) node).hasInitialState();
    }

    private static boolean isSort(SparkPlan node) {
      return node instanceof SortExec
          && !((SortExec) node).global()
          && InternalRows.arePacked(node.output());
    }
  }
}
