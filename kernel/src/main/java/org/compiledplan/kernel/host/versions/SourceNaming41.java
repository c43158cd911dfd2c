package org.compiledplan.kernel.host.versions;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.streaming.StreamingRelationV2;
import org.apache.spark.sql.catalyst.trees.TreeNodeTag;
import org.apache.spark.sql.execution.streaming.runtime.MicroBatchExecution;
import org.apache.spark.sql.execution.streaming.runtime.StreamExecution;
import org.apache.spark.sql.execution.streaming.runtime.StreamingRelation;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.AbstractPartialFunction;

/**
 * Names as tags of sources, which Spark numbers in its plan's order; {@link NamedSourceFiles}
 * stores numbers as names.
 */
final class SourceNaming41 implements SourceNaming {
  private static final TreeNodeTag<String> NAME = new TreeNodeTag<>("compiledPlanSource");

  @Override
  public boolean canName(LogicalPlan node) {
    return node instanceof StreamingRelation || node instanceof StreamingRelationV2;
  }

  @Override
  public LogicalPlan named(LogicalPlan source, String name) {
    // A copy would equal the source, which Spark would then put back.
    source.setTagValue(NAME, name);
    return source;
  }

  @Override
  public List<String> of(MicroBatchExecution query) {
    return byNumber(query);
  }

  /** The names of a query's sources by their numbers; empty for a source without a name. */
  static List<String> byNumber(StreamExecution query) {
    Map<LogicalPlan, String> names = new LinkedHashMap<>();
    for (LogicalPlan source : sources(query)) names.putIfAbsent(source, name(source));
    return List.copyOf(names.values());
  }

  /** The names of a query's sources as often as it reads them, as in Spark's log of offsets. */
  static List<String> byReading(StreamExecution query) {
    return sources(query).stream().map(SourceNaming41::name).toList();
  }

  private static String name(LogicalPlan source) {
    scala.Option<String> name = source.getTagValue(NAME);
    return name.isDefined() ? name.get() : "";
  }

  private static List<LogicalPlan> sources(StreamExecution query) {
    return List.copyOf(CollectionConverters.asJava(query.analyzedPlan().collect(new Sources())));
  }

  private static final class Sources extends AbstractPartialFunction<LogicalPlan, LogicalPlan> {
    @Override
    public boolean isDefinedAt(LogicalPlan node) {
      return node instanceof StreamingRelation || node instanceof StreamingRelationV2;
    }

    @Override
    public LogicalPlan apply(LogicalPlan node) {
      return node;
    }
  }
}
