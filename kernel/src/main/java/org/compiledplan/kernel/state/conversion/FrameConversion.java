package org.compiledplan.kernel.state.conversion;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import org.compiledplan.kernel.state.serialization.FrameShape;
import org.compiledplan.kernel.state.serialization.Tree;

/**
 * Converts the accumulators of some calls into those of others. A new call starts fresh, except for
 * COUNT(*) if the number of rows is stored beside the accumulators.
 */
final class FrameConversion {
  private static final String FIELDS = "fields";

  /**
   * Name of the row-count field beside the accumulators, and of the field of COUNT's accumulator.
   */
  private static final String ROWS = "rows";

  private static final String COUNT = "count";

  /** Old call per new call; null if there is none. */
  private final Integer[] from;

  private final FieldsConversion[] inner;
  private final List<FrameShape> old;
  private final List<FrameShape> next;

  /** True if all accumulators have the same bytes at the same positions. */
  final boolean sameBytes;

  private FrameConversion(
      Integer[] from, FieldsConversion[] inner, List<FrameShape> old, List<FrameShape> next) {
    this.from = from;
    this.inner = inner;
    this.old = old;
    this.next = next;
    boolean same = from.length == old.size();
    for (int i = 0; same && i < from.length; i++) {
      same = from[i] != null && from[i] == i && inner[i].sameBytes;
    }
    sameBytes = same;
  }

  static FrameConversion of(
      List<FrameShape> old, List<FrameShape> next, ConversionPosition context) {
    Integer[] from = new Integer[next.size()];
    FieldsConversion[] inner = new FieldsConversion[from.length];
    if (context.mapping.callCount() != from.length) {
      throw context.problem(
          "there are %s calls, but the mapping has %s"
              .formatted(from.length, context.mapping.callCount()));
    }
    for (int i = 0; i < from.length; i++) {
      from[i] = context.mapping.call(i);
      if (from[i] == null) continue;
      ConversionPosition call = context.in("call " + i);
      if (from[i] < 0 || from[i] >= old.size()) throw call.problem("there was no call " + from[i]);
      FrameShape was = old.get(from[i]);
      checkCall(was.description, next.get(i).description, call);
      inner[i] = single(was, next.get(i), call);
    }
    return new FrameConversion(from, inner, old, next);
  }

  /** Conversion of one accumulator's fields. */
  static FieldsConversion single(FrameShape old, FrameShape next, ConversionPosition context) {
    if (next.reads(old)) return FieldsConversion.of(old.fields, old.fields, context);
    if (old.form.code() != next.form.code() || old.form.version() != next.form.version()) {
      throw context.problem("it is " + text(next) + " instead of " + text(old));
    }
    return FieldsConversion.of(old.fields, next.fields, context);
  }

  private static String text(FrameShape frame) {
    return frame.form.text() + " in version " + frame.form.version();
  }

  /**
   * Accumulators of one form may belong to different functions, over different columns. Equality of
   * a Python function's code is checked earlier: its `code` here is a digest of the payload sent to
   * its workers, which differs between processes.
   */
  private static void checkCall(JsonNode old, JsonNode next, ConversionPosition context) {
    for (String field : new String[] {"function", "distinct"}) {
      if (!old.path(field).equals(next.path(field))) {
        throw context.problem(
            "its " + field + " was " + old.path(field) + " and is " + next.path(field));
      }
    }
    JsonNode before = old.path("arguments");
    JsonNode after = next.path("arguments");
    if (before.size() != after.size()) {
      throw context.problem("it had " + before.size() + " arguments and has " + after.size());
    }
    for (int i = 0; i < after.size(); i++) {
      checkColumn(before.get(i).path("column"), after.get(i).path("column"), context);
    }
    checkColumn(old.path("filter"), next.path("filter"), context);
  }

  private static void checkColumn(JsonNode old, JsonNode next, ConversionPosition context) {
    if (old.isNumber() != next.isNumber()) {
      throw context.problem("only one of the two has a filter");
    }
    StateMapping.Place was = next.isNumber() ? context.mapping.column(0, next.asInt()) : null;
    if (was != null && was.column() != old.asInt()) {
      throw context.problem("it reads " + was + " instead of column " + old.asInt());
    }
  }

  /**
   * @param frames the old accumulators
   * @param beside the part that contains them
   */
  List<Object> apply(List<?> frames, Tree beside) {
    List<Object> converted = new ArrayList<>(from.length);
    for (int i = 0; i < from.length; i++) {
      converted.add(
          from[i] == null
              ? begun(next.get(i), beside)
              : apply((Tree) frames.get(from[i]), inner[i], old.get(from[i])));
    }
    return converted;
  }

  private static Tree begun(FrameShape frame, Tree beside) {
    if (!(beside.get(ROWS) instanceof Long) || !countsAll(frame.description)) return frame.fresh;
    Tree fresh = new Tree(frame.fresh);
    Tree fields = new Tree((Tree) fresh.get(FIELDS));
    fields.put(COUNT, beside.get(ROWS));
    fresh.put(FIELDS, fields);
    return fresh;
  }

  private static boolean countsAll(JsonNode call) {
    return call.path("function").asText().equals("$COUNT$1")
        && call.path("arguments").isEmpty()
        && !call.has("filter")
        && !call.path("distinct").asBoolean();
  }

  /** One frame with its fields converted; a frame of another initial form does not change. */
  static Tree apply(Tree frame, FieldsConversion inner, FrameShape old) {
    if (!old.isOf(frame)) return frame;
    Tree converted = new Tree(frame);
    converted.put(FIELDS, inner.apply((Tree) frame.get(FIELDS)));
    return converted;
  }
}
