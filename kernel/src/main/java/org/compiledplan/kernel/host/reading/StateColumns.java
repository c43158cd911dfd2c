package org.compiledplan.kernel.host.reading;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.compiledplan.kernel.host.spark.SparkTypes;
import org.compiledplan.kernel.state.serialization.Columns;
import org.compiledplan.kernel.state.serialization.FieldShape;
import org.compiledplan.kernel.state.serialization.FrameShape;
import org.compiledplan.kernel.state.serialization.Tree;
import org.compiledplan.kernel.values.Struct;
import scala.jdk.javaapi.CollectionConverters;

/**
 * The fields of a state as Spark columns: rows are structs with the columns' names, parts are
 * structs, lists are arrays, aggregates are a struct with a field per call.
 */
final class StateColumns {
  /** Starts and ends of windows: ms on the windows' clock. */
  private static final Set<String> ON_A_CLOCK =
      Set.of("start", "end", "firstEnd", "lastEnd", "slice");

  /** Times outside these bounds mark a missing time. */
  private static final long FIRST = -62_135_596_800_000L;

  private static final long LAST = 253_402_300_799_999L;

  /** Names of columns and calls, and types of columns. */
  record Names(StructType[] inputs, String[][] columns, String[] calls) {
    private String column(Columns of, int at) {
      int place = of.place(at);
      if (of.input() < 0) return call(place);
      String[] names = columns[of.input()];
      return place < names.length ? names[place] : "column " + (place + 1);
    }

    private String call(int at) {
      return at < calls.length ? calls[at] : "call " + (at + 1);
    }

    private DataType type(Columns of, int at) {
      return of.input() < 0
          ? SparkTypes.dataType(of.types()[at])
          : inputs[of.input()].apply(of.place(at)).dataType();
    }
  }

  private final Names names;
  private final Map<String, UnaryOperator<Object>> values = new LinkedHashMap<>();
  private StructType type = new StructType();

  private StateColumns(Names names) {
    this.names = names;
  }

  static StateColumns of(List<FieldShape> fields, Names names) {
    StateColumns columns = new StateColumns(names);
    fields.forEach(columns::add);
    return columns;
  }

  StructType type() {
    return type;
  }

  Row row(Tree tree) {
    Object[] row = new Object[values.size()];
    int at = 0;
    for (Map.Entry<String, UnaryOperator<Object>> field : values.entrySet()) {
      Object value = tree.get(field.getKey());
      row[at++] = value == null ? null : field.getValue().apply(value);
    }
    return RowFactory.create(row);
  }

  private void add(String name, DataType of, UnaryOperator<Object> value) {
    type = type.add(name, of, true);
    values.put(name, value);
  }

  private void plain(String name, DataType of) {
    add(name, of, UnaryOperator.identity());
  }

  private void wholeNumber(String name) {
    if (!ON_A_CLOCK.contains(name)) {
      plain(name, DataTypes.LongType);
      return;
    }
    add(
        name,
        DataTypes.TimestampNTZType,
        ms -> isTime(ms) ? LocalDateTime.ofInstant(instant(ms), ZoneOffset.UTC) : null);
  }

  private void time(String name) {
    add(name, DataTypes.TimestampType, ms -> isTime(ms) ? instant(ms) : null);
  }

  private static boolean isTime(Object ms) {
    return (Long) ms >= FIRST && (Long) ms <= LAST;
  }

  private static Instant instant(Object ms) {
    return Instant.ofEpochMilli((Long) ms);
  }

  private StructType rowType(Columns columns) {
    StructType of = new StructType();
    Set<String> taken = new HashSet<>();
    for (int i = 0; i < columns.types().length; i++) {
      of = of.add(free(names.column(columns, i), taken), names.type(columns, i), true);
    }
    return of;
  }

  private static String free(String name, Set<String> taken) {
    String candidate = name;
    for (int i = 2; !taken.add(candidate); i++) candidate = name + " " + i;
    return candidate;
  }

  private static Object rowOf(Object values) {
    Object[] row = ((Object[]) values).clone();
    for (int i = 0; i < row.length; i++) row[i] = external(row[i]);
    return RowFactory.create(row);
  }

  /** A column value in Spark's external form. */
  private static Object external(Object value) {
    if (value instanceof Struct) return rowOf(((Struct) value).fields());
    if (value instanceof List) {
      return ((List<?>) value).stream().map(StateColumns::external).toArray();
    }
    if (value instanceof Map) {
      Map<Object, Object> map = new LinkedHashMap<>();
      ((Map<?, ?>) value).forEach((key, item) -> map.put(external(key), external(item)));
      return CollectionConverters.asScala(map);
    }
    return value;
  }

  private void list(String name, DataType element, UnaryOperator<Object> value) {
    add(
        name,
        DataTypes.createArrayType(element, true),
        list -> ((List<?>) list).stream().map(value).toArray());
  }

  private void add(FieldShape field) {
    String name = field.name();
    switch (field.is()) {
      case NUMBER -> wholeNumber(name);
      case COUNT, CODE -> plain(name, DataTypes.LongType);
      case TIME, MAYBE_TIME -> time(name);
      case TIME_NEAR -> {
        if (ON_A_CLOCK.contains(name)) wholeNumber(name);
        else time(name);
      }
      case FLAG -> plain(name, DataTypes.BooleanType);
      case REAL -> plain(name, DataTypes.DoubleType);
      case BYTES -> plain(name, DataTypes.BinaryType);
      case VALUE -> add(name, SparkTypes.dataType(field.type()), StateColumns::external);
      case VALUES -> list(name, SparkTypes.dataType(field.type()), StateColumns::external);
      case ROW, MAYBE_ROW, PACKED_ROW -> add(name, rowType(field.columns()), StateColumns::rowOf);
      case ROWS -> list(name, rowType(field.columns()), StateColumns::rowOf);
      case PART -> {
        StateColumns inner = of(field.fields(), names);
        add(name, inner.type, part -> inner.row((Tree) part));
      }
      case LIST, PACKED_LIST -> {
        StateColumns inner = of(field.fields(), names);
        list(name, inner.type, part -> inner.row((Tree) part));
      }
      case FRAME -> {
        StateColumns inner = of(field.frames().get(0).fieldsOfForms, names);
        add(name, inner.type, frame -> inner.row(fields(frame)));
      }
      case FRAMES -> frames(name, field.frames());
    }
  }

  private void frames(String name, List<FrameShape> frames) {
    StructType of = new StructType();
    List<StateColumns> inner = new ArrayList<>();
    Set<String> taken = new HashSet<>();
    for (FrameShape frame : frames) {
      StateColumns columns = of(frame.fieldsOfForms, names);
      of = of.add(free(names.call(inner.size()), taken), columns.type, true);
      inner.add(columns);
    }
    add(
        name,
        of,
        list -> {
          Object[] row = new Object[inner.size()];
          for (int i = 0; i < row.length; i++)
            row[i] = inner.get(i).row(fields(((List<?>) list).get(i)));
          return RowFactory.create(row);
        });
  }

  private static Tree fields(Object frame) {
    return (Tree) ((Tree) frame).get("fields");
  }
}
