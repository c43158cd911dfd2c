package org.compiledplan.kernel.functions;

import org.apache.spark.sql.Row;
import org.compiledplan.kernel.lookup.LookupTable;

/** Lookups in tables of external systems. */
final class Lookups {
  private Lookups() {}

  static void register() {
    // Options: the table's description, see LookupTable. Argument: the keys as a struct, null to
    // skip the lookup.
    Registry.plainWith(
        "lookup_rows",
        options -> {
          LookupTable table = LookupTable.of(options[0]);
          return values -> values[0] == null ? null : table.rows((Row) values[0]);
        });
  }
}
