package org.compiledplan.kernel.host.input;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.streaming.runtime.MicroBatchExecution;
import org.apache.spark.sql.execution.streaming.runtime.StreamExecution;
import org.apache.spark.sql.execution.streaming.runtime.StreamingQueryWrapper;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.compiledplan.kernel.host.spark.Plans;
import org.compiledplan.kernel.host.versions.SparkGate;
import scala.runtime.AbstractPartialFunction;

/**
 * Names the streaming sources of a DataFrame, as {@code DataStreamReader.name} does at creation. A
 * checkpoint stores source offsets by name.
 */
public final class SourceNames {
  private static final ObjectMapper JSON = new ObjectMapper();

  private SourceNames() {}

  /**
   * The same rows from named sources.
   *
   * @param name name of the first source and prefix of the names of further ones
   */
  public static Dataset<Row> named(Dataset<Row> frame, String name) {
    return Plans.frame(frame, Plans.analyzed(frame).transformUp(new Naming(name)));
  }

  /**
   * Returns the names of the sources of a started query, in the order of its progress reports;
   * empty for a source without a name. A JSON array, because Python would need several calls per
   * element of a list.
   */
  public static String of(StreamingQuery query) throws JsonProcessingException {
    StreamExecution execution = ((StreamingQueryWrapper) query).streamingQuery();
    List<String> names =
        execution instanceof MicroBatchExecution run ? SparkGate.SPARK.sourceNames(run) : List.of();
    return JSON.writeValueAsString(names);
  }

  private static final class Naming extends AbstractPartialFunction<LogicalPlan, LogicalPlan> {
    private final String name;
    private int count;

    Naming(String name) {
      this.name = name;
    }

    @Override
    public boolean isDefinedAt(LogicalPlan node) {
      return SparkGate.SPARK.canBeNamed(node);
    }

    @Override
    public LogicalPlan apply(LogicalPlan node) {
      count++;
      String own = count == 1 ? name : name + "_n" + count;
      return SparkGate.SPARK.named(node, own);
    }
  }
}
