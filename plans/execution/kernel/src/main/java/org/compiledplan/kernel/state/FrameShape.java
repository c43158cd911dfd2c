package org.compiledplan.kernel.state;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/** What a framed part of state is. */
public final class FrameShape {
  public final Framed.Form form;

  /** What it belongs to, of one among several; else null. */
  public final ObjectNode description;

  public final List<FieldShape> fields;

  /** A fresh one, as {@link TreeFields} gives it; not to be changed. */
  public final Tree fresh;

  FrameShape(Framed fresh, ObjectNode description) {
    form = fresh.form();
    this.description = description;
    fields = SchemaFields.of(fresh);
    this.fresh = TreeFields.Writer.framed(fresh);
  }

  void describe(ObjectNode to) {
    to.put("form", form.text()).put("version", form.version());
    to.set("fields", FieldShape.describe(fields));
  }
}
