package org.compiledplan.kernel.host.versions;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.streaming.HasStreamingSourceIdentifyingName;
import org.apache.spark.sql.catalyst.streaming.UserProvided;
import org.apache.spark.sql.connector.read.streaming.SparkDataStream;
import org.apache.spark.sql.execution.streaming.runtime.MicroBatchExecution;
import scala.jdk.javaapi.CollectionConverters;

/** Spark's own names, as {@code DataStreamReader.name} gives them. */
final class SourceNaming42 implements SourceNaming {
  @Override
  public boolean canName(LogicalPlan node) {
    return node instanceof HasStreamingSourceIdentifyingName;
  }

  @Override
  public LogicalPlan named(LogicalPlan source, String name) {
    return ((HasStreamingSourceIdentifyingName) source)
        .withSourceIdentifyingName(new UserProvided(name));
  }

  @Override
  public List<String> of(MicroBatchExecution query) {
    Map<SparkDataStream, String> names = new IdentityHashMap<>();
    CollectionConverters.asJava(query.sourceIdMap())
        .forEach((name, source) -> names.put(source, name));
    List<String> result = new ArrayList<>();
    for (SparkDataStream source : CollectionConverters.asJava(query.sources().distinct())) {
      result.add(names.getOrDefault(source, ""));
    }
    return result;
  }
}
