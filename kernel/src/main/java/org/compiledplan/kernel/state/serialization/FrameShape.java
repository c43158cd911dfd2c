package org.compiledplan.kernel.state.serialization;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;

/** The shape of a framed part of state. */
public final class FrameShape {
  public final Framed.Form form;

  /** Forms that the part can be read from. */
  private final List<Framed.Form> forms;

  /** The aggregate call or other owner of the part, if it is one of several; otherwise null. */
  public final ObjectNode description;

  public final List<FieldShape> fields;

  /** Fields of all forms that the part can be read from. */
  public final List<FieldShape> fieldsOfForms;

  /** A fresh part as {@link TreeFields} returns it; read-only. */
  public final Tree fresh;

  FrameShape(Framed fresh, ObjectNode description) {
    form = fresh.form();
    forms = fresh.forms();
    this.description = description;
    fields = SchemaFields.of(fresh);
    this.fresh = TreeFields.Writer.framed(fresh);
    fieldsOfForms = forms.size() == 1 ? fields : ofForms(fresh);
    fresh.become(form);
  }

  private static List<FieldShape> ofForms(Framed part) {
    List<FieldShape> all = new ArrayList<>();
    for (Framed.Form form : part.forms()) {
      part.become(form);
      all.addAll(SchemaFields.of(part));
    }
    return all;
  }

  /** Returns true if bytes of another shape can be read unchanged. */
  public boolean reads(FrameShape old) {
    return form != old.form && forms.contains(old.form);
  }

  /** Returns true if a decoded part has this form. */
  public boolean isOf(Tree frame) {
    return form.text().equals(frame.get(TreeFields.FORM));
  }

  /** Returns a part with the given fields as {@link TreeFields} returns it. */
  public Tree filled(Tree fields) {
    Tree part = new Tree(fresh);
    part.put(TreeFields.FIELDS, fields);
    return part;
  }

  /** Returns a field by its name. */
  public FieldShape field(String name) {
    return FieldShape.named(fields, name);
  }

  void describe(ObjectNode to) {
    to.put("form", form.text()).put("version", form.version());
    to.set("fields", FieldShape.describe(fields));
  }
}
