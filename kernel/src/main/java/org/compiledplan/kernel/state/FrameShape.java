package org.compiledplan.kernel.state;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;

/** What a framed part of state is. */
public final class FrameShape {
  public final Framed.Form form;

  /** The forms that such a part can be read from. */
  private final List<Framed.Form> forms;

  /** What it belongs to, of one among several; else null. */
  public final ObjectNode description;

  public final List<FieldShape> fields;

  /** The fields of all forms that such a part can be read from. */
  public final List<FieldShape> fieldsOfForms;

  /** A fresh one, as {@link TreeFields} gives it; not to be changed. */
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

  /** Whether parts of another shape can be read as such, all bytes as they are. */
  public boolean reads(FrameShape old) {
    return form != old.form && forms.contains(old.form);
  }

  /** Whether a part that is given by name has this form. */
  public boolean isOf(Tree frame) {
    return form.text().equals(frame.get(TreeFields.FORM));
  }

  void describe(ObjectNode to) {
    to.put("form", form.text()).put("version", form.version());
    to.set("fields", FieldShape.describe(fields));
  }
}
