package org.compiledplan.kernel.state.serialization;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import org.compiledplan.kernel.values.ValueType;

/**
 * The shape of a state field, recorded by {@link SchemaFields}.
 *
 * @param name name of the field in decoded state
 * @param is method of {@link Fields} that declares the field
 * @param type type of a value, or of the elements of a list; otherwise null
 * @param columns columns of a row, or of the rows of a list; otherwise null
 * @param fields fields of a part, or of the parts of a list; otherwise null
 * @param frames one frame, or several; otherwise null
 */
public record FieldShape(
    String name,
    Is is,
    ValueType type,
    Columns columns,
    List<FieldShape> fields,
    List<FrameShape> frames) {
  /** The methods of {@link Fields}. */
  public enum Is {
    NUMBER("number"),
    COUNT("count"),
    TIME("time"),
    TIME_NEAR("timeNear"),
    MAYBE_TIME("maybeTime"),
    FLAG("flag"),
    CODE("code"),
    REAL("real"),
    BYTES("bytes"),
    VALUE("value"),
    VALUES("values"),
    ROW("row"),
    MAYBE_ROW("maybeRow"),
    ROWS("rows"),
    PACKED_ROW("packedRow"),
    LIST("list"),
    PACKED_LIST("packedList"),
    PART("part"),
    FRAME("frame"),
    FRAMES("frames");

    /** Name used in descriptions. */
    public final String text;

    Is(String text) {
      this.text = text;
    }
  }

  /** Returns a field of a part, or of the parts of a list, by its name. */
  public FieldShape field(String name) {
    return named(fields, name);
  }

  /** Returns a field by its name. */
  static FieldShape named(List<FieldShape> fields, String name) {
    for (FieldShape field : fields) if (field.name.equals(name)) return field;
    throw new IllegalArgumentException("there is no field " + name);
  }

  /**
   * Returns fields as a list of objects with {@code name}, {@code is}, the {@code columns} of rows,
   * the {@code type} of values, and the {@code fields} of parts. Frames have their {@code form} and
   * {@code version}.
   */
  public static ArrayNode describe(List<FieldShape> fields) {
    ArrayNode described = JsonNodeFactory.instance.arrayNode();
    for (FieldShape field : fields) field.describe(described.addObject());
    return described;
  }

  private void describe(ObjectNode to) {
    to.put("name", name).put("is", is.text);
    if (type != null) to.put("type", type.text());
    if (columns != null) columns.describe(to.putArray("columns"));
    if (fields != null) to.set("fields", describe(fields));
    if (is == Is.FRAME) frames.get(0).describe(to);
    if (is != Is.FRAMES) return;
    ArrayNode parts = to.putArray("parts");
    for (FrameShape frame : frames) frame.describe(parts.addObject().setAll(frame.description));
  }
}
