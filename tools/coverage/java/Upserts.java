import java.util.Set;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.connector.sink.DynamicTableSink;
import org.apache.flink.table.connector.sink.SinkV2Provider;
import org.apache.flink.table.factories.DynamicTableSinkFactory;

/**
 * An upsert sink by the name of one that Flink's distribution does not contain; plans are compiled
 * with it and not run.
 */
public final class Upserts implements DynamicTableSinkFactory {
  @Override
  public String factoryIdentifier() {
    return "upsert-kafka";
  }

  @Override
  public Set<ConfigOption<?>> requiredOptions() {
    return Set.of();
  }

  @Override
  public Set<ConfigOption<?>> optionalOptions() {
    return Set.of();
  }

  @Override
  public DynamicTableSink createDynamicTableSink(Context context) {
    return new Sink();
  }

  private static final class Sink implements DynamicTableSink {
    @Override
    public ChangelogMode getChangelogMode(ChangelogMode requested) {
      return ChangelogMode.upsert();
    }

    @Override
    public SinkRuntimeProvider getSinkRuntimeProvider(Context context) {
      return SinkV2Provider.of(new DiscardingSink<>());
    }

    @Override
    public DynamicTableSink copy() {
      return this;
    }

    @Override
    public String asSummaryString() {
      return "upserts";
    }
  }
}
