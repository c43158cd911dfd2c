package org.compiledplan.kernel.state.seeding;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.unsafe.types.UTF8String;
import org.compiledplan.kernel.host.plain.PlainMemory;
import org.compiledplan.kernel.host.plain.PlainQuery;

/**
 * Migrates the state of a {@link PlainQuery} to that of another program, as {@link Seeding} does.
 */
public final class PlainMigration {
  private final Converter converter;

  /** For the descriptions see {@link Seeding#convert}. */
  public PlainMigration(
      String oldStages, String oldStates, String newStages, String newStates, String mapping) {
    converter = new Converter(oldStages, oldStates, newStages, newStates, mapping);
  }

  /**
   * Begins a query with the state of another one.
   *
   * @param from the state; it does not change
   * @param millis processing time in ms
   * @return the state of the query
   */
  public PlainMemory begin(PlainQuery query, PlainMemory from, long millis) {
    PlainMemory memory = from.emptied();
    query.begin(memory);
    Set<List<String>> stored = new HashSet<>();
    from.visit(
        (old, key, bytes) -> {
          InternalRow row =
              converter.convert(UTF8String.fromString(old), UTF8String.fromString(key), bytes);
          if (row == null) return;
          String uid = row.getString(1);
          if (!stored.add(Arrays.asList(uid, key))) throw SeedRows.doubled(uid, key);
          query.store(uid, key, row.getBinary(3), millis);
        });
    return memory;
  }
}
