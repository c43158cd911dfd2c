package org.compiledplan.kernel.host.iceberg;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SQLContext;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.connector.read.streaming.ReadLimit;
import org.apache.spark.sql.connector.read.streaming.SupportsTriggerAvailableNow;
import org.apache.spark.sql.execution.datasources.LogicalRelation$;
import org.apache.spark.sql.execution.streaming.Offset;
import org.apache.spark.sql.execution.streaming.Source;
import org.apache.spark.sql.sources.BaseRelation;
import org.apache.spark.sql.sources.PrunedScan;
import org.apache.spark.sql.types.StructType;
import org.compiledplan.kernel.host.spark.Plans;
import scala.Option;

/** The stream of {@link TableChanges}. A micro-batch has whole snapshots. */
final class ChangeStream implements Source, SupportsTriggerAvailableNow {
  private final SparkSession session;
  private final JsonNode spec;
  private final StructType schema;
  private final IcebergTable table;

  /** The snapshot at which the input ends; null for input without an end. */
  private Long last;

  ChangeStream(SparkSession session, JsonNode spec) {
    this.session = session;
    this.spec = spec;
    schema = IcebergTable.schema(spec);
    table = new IcebergTable(session, spec);
    table.checkModes();
  }

  @Override
  public StructType schema() {
    return schema;
  }

  @Override
  public void prepareForTriggerAvailableNow() {
    last = table.current();
  }

  @Override
  public ReadLimit getDefaultReadLimit() {
    return ReadLimit.allAvailable();
  }

  @Override
  public Option<Offset> getOffset() {
    throw new UnsupportedOperationException("latestOffset(Offset, ReadLimit) is called instead");
  }

  @Override
  public org.apache.spark.sql.connector.read.streaming.Offset latestOffset(
      org.apache.spark.sql.connector.read.streaming.Offset start, ReadLimit limit) {
    long newest = last == null ? table.current() : last;
    Position reached = start == null ? null : position(start);
    if (newest == Snapshot.NONE || (reached != null && reached.snapshot() == newest)) return start;
    Map<Long, Snapshot> snapshots = table.snapshots();
    if (reached == null && spec.path("start").isNull()) {
      checkDeletes(List.of(at(snapshots, newest)));
      return new Position(newest, null);
    }
    long after = reached == null ? before(snapshots, newest) : reached.snapshot();
    if (after == newest) return start;
    long until = bounded(between(snapshots, after, newest));
    return new Position(until, reached == null ? Long.valueOf(after) : reached.after());
  }

  private Position position(org.apache.spark.sql.connector.read.streaming.Offset offset) {
    Position position = Position.of(offset);
    if (position == null) {
      throw table.fault(
          "was read without 'changelog' before, and the checkpoint has a position of that read",
          "start with a new checkpoint, or leave 'changelog' out");
    }
    return position;
  }

  /** The snapshot before the first one of the option `start`; may be the newest one. */
  private long before(Map<Long, Snapshot> snapshots, long newest) {
    long start = spec.path("start").asLong();
    long before = newest;
    while (before != Snapshot.NONE) {
      Snapshot snapshot = snapshots.get(before);
      if (snapshot == null) throw expired("since the time of its start");
      if (snapshot.time() < start) break;
      before = snapshot.parent();
    }
    return before;
  }

  /** The last one of the snapshots that a micro-batch takes. */
  private long bounded(List<Snapshot> snapshots) {
    long files = spec.path("files").asLong(Long.MAX_VALUE);
    long rows = spec.path("rows").asLong(Long.MAX_VALUE);
    Snapshot taken = null;
    for (Snapshot snapshot : snapshots) {
      if (!snapshot.isRewrite()) {
        files -= snapshot.files();
        rows -= snapshot.rows();
      }
      if (taken != null && (files < 0 || rows < 0)) break;
      taken = snapshot;
    }
    return Objects.requireNonNull(taken).id();
  }

  /** The snapshots behind one that led to another, the oldest first; refuses unreadable ones. */
  private List<Snapshot> between(Map<Long, Snapshot> snapshots, long after, long until) {
    LinkedList<Snapshot> between = new LinkedList<>();
    long id = until;
    while (id != after) {
      Snapshot snapshot = snapshots.get(id);
      if (snapshot == null && id == Snapshot.NONE) {
        throw table.fault(
            "has another history than snapshot " + after + ", up to which it was read",
            "start with a new checkpoint: the table was rolled back, or created anew");
      }
      if (snapshot == null) throw expired("between " + after + " and " + until);
      between.addFirst(snapshot);
      id = snapshot.parent();
    }
    // Expired with it: the files that the first snapshot removed.
    if (after != Snapshot.NONE && !snapshots.containsKey(after)) {
      throw expired("from " + after + " on, up to which it was read,");
    }
    checkDeletes(between);
    return between;
  }

  private RuntimeException expired(String when) {
    String remedy = spec.path("remedy").asText();
    return table.fault("has lost changes: snapshots " + when + " have expired", remedy);
  }

  private void checkDeletes(List<Snapshot> snapshots) {
    for (Snapshot snapshot : snapshots) {
      if (!snapshot.isRewrite() && snapshot.deletes() > 0) {
        throw table.fault(
            "has delete files in snapshot " + snapshot.id() + ", whose changes cannot be read",
            "let all writers use 'copy-on-write', rewrite the table (rewrite_data_files), and"
                + " start with a new checkpoint");
      }
    }
  }

  /** Rows that are planned with their micro-batch: Spark asks for those of earlier ones, too. */
  @Override
  public Dataset<Row> getBatch(Option<Offset> start, Offset end) {
    Position from = start.isDefined() ? position(start.get()) : null;
    LogicalPlan relation = LogicalRelation$.MODULE$.apply(new Batch(from, position(end)), true);
    return Plans.frame(session.emptyDataFrame(), relation);
  }

  private Dataset<Row> rows(Position from, Position until) {
    table.refresh();
    Map<Long, Snapshot> snapshots = table.snapshots();
    Long after = from == null ? until.after() : Long.valueOf(from.snapshot());
    if (after == null) return table.rows(at(snapshots, until.snapshot()).id());
    List<Snapshot> between = between(snapshots, after, until.snapshot());
    Dataset<Row> changes = table.changes(after, until.snapshot());
    boolean carriesOver = between.stream().anyMatch(Snapshot::carriesOver);
    return carriesOver ? NetChanges.of(changes, key()) : changes;
  }

  private Snapshot at(Map<Long, Snapshot> snapshots, long id) {
    Snapshot snapshot = snapshots.get(id);
    if (snapshot == null) throw expired("up to " + id);
    return snapshot;
  }

  private List<String> key() {
    List<String> names = new ArrayList<>();
    for (JsonNode name : spec.path("key")) names.add(name.asText());
    return names;
  }

  @Override
  public void stop() {}

  /** The rows of a micro-batch. */
  private final class Batch extends BaseRelation implements PrunedScan {
    private final Position from;
    private final Position until;

    Batch(Position from, Position until) {
      this.from = from;
      this.until = until;
    }

    @Override
    public SQLContext sqlContext() {
      return session.sqlContext();
    }

    @Override
    public StructType schema() {
      return schema;
    }

    @Override
    public boolean needConversion() {
      return false;
    }

    @Override
    public RDD<Row> buildScan(String[] names) {
      if (from == null && until.after() == null && isCurrent()) {
        // With the columns of the table, which may have changed since the snapshot.
        RDD<Row> newest = Plans.rows(table.newest(), names);
        if (isCurrent()) return newest;
      }
      return Plans.rows(rows(from, until), names);
    }

    private boolean isCurrent() {
      return table.current() == until.snapshot();
    }
  }
}
