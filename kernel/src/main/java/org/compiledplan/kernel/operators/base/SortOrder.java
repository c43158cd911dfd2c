package org.compiledplan.kernel.operators.base;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Comparator;
import org.compiledplan.kernel.values.Values;

/** Order of rows by several columns, each ascending or descending, with nulls first or last. */
public final class SortOrder implements Comparator<Object[]> {
  private final int[] columns;
  private final boolean[] ascending;
  private final boolean[] nullsLast;

  /**
   * @param fields objects with {@code index}, {@code ascending}, {@code nullsLast}
   */
  public SortOrder(JsonNode fields) {
    columns = new int[fields.size()];
    ascending = new boolean[columns.length];
    nullsLast = new boolean[columns.length];
    for (int i = 0; i < columns.length; i++) {
      JsonNode field = fields.get(i);
      columns[i] = field.path("index").asInt();
      ascending[i] = field.path("ascending").asBoolean();
      nullsLast[i] = field.path("nullsLast").asBoolean();
    }
  }

  @Override
  public int compare(Object[] a, Object[] b) {
    for (int i = 0; i < columns.length; i++) {
      int order = compare(a[columns[i]], b[columns[i]], i);
      if (order != 0) return order;
    }
    return 0;
  }

  private int compare(Object a, Object b, int field) {
    if (a == null || b == null) {
      if (a == b) return 0;
      return (a == null) == nullsLast[field] ? 1 : -1;
    }
    int order = Values.compare(a, b);
    return ascending[field] ? order : -order;
  }
}
