package org.compiledplan.kernel.lookup;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.apache.spark.sql.Row;

/** The rows of the keys that were asked for last, as Flink's partial cache keeps them. */
final class LookupCache {
  private static final class Entry {
    final List<Row> rows;
    final long written;
    long read;

    Entry(List<Row> rows, long now) {
      this.rows = rows;
      written = now;
      read = now;
    }
  }

  private final long maxRows;
  private final long afterWrite;
  private final long afterAccess;
  private final boolean keepsMissing;
  private final LongSupplier clock;

  /** The key that was asked for longest ago first. */
  private final Map<Row, Entry> entries = new LinkedHashMap<>(16, 0.75f, true);

  LookupCache(JsonNode spec, LongSupplier clock) {
    maxRows = spec.path("maxRows").asLong(Long.MAX_VALUE);
    afterWrite = spec.path("expireAfterWrite").asLong(Long.MAX_VALUE);
    afterAccess = spec.path("expireAfterAccess").asLong(Long.MAX_VALUE);
    keepsMissing = spec.path("missing").asBoolean(true);
    this.clock = clock;
  }

  /** The rows of a key; null if they are not known, or no longer. */
  synchronized List<Row> get(Row key) {
    long now = clock.getAsLong();
    Entry entry = entries.get(key);
    if (entry == null) return null;
    if (now - entry.written >= afterWrite || now - entry.read >= afterAccess) {
      entries.remove(key);
      return null;
    }
    entry.read = now;
    return entry.rows;
  }

  synchronized void put(Row key, List<Row> rows) {
    if (rows.isEmpty() && !keepsMissing) return;
    entries.put(key, new Entry(rows, clock.getAsLong()));
    if (entries.size() > maxRows) {
      Iterator<Row> oldest = entries.keySet().iterator();
      oldest.next();
      oldest.remove();
    }
  }
}
