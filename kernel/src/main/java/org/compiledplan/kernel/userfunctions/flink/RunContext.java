package org.compiledplan.kernel.userfunctions.flink;

import java.util.Map;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.table.functions.FunctionContext;

/** The context of a function outside of Flink: job parameters, and metrics that nobody reads. */
final class RunContext extends FunctionContext {
  private final Map<String, String> parameters;
  private final ClassLoader loader;

  RunContext(Map<String, String> parameters, ClassLoader loader) {
    super(null, loader, null);
    this.parameters = parameters;
    this.loader = loader;
  }

  @Override
  public MetricGroup getMetricGroup() {
    return new UnregisteredMetricsGroup();
  }

  @Override
  public String getJobParameter(String key, String defaultValue) {
    return parameters.getOrDefault(key, defaultValue);
  }

  @Override
  public ClassLoader getUserCodeClassLoader() {
    return loader;
  }
}
