package org.compiledplan.kernel.state.serialization;

import java.util.List;
import java.util.function.Predicate;

/**
 * A part that is prefixed by its form: code, version and length precede the fields. A reader can
 * identify it, and skip unknown forms.
 */
public interface Framed extends Stored {
  /** Form of a frame. Codes and names never change; changed fields are a new version. */
  interface Form {
    int code();

    String text();

    int version();
  }

  /** Returns the form that is written. */
  Form form();

  /** Returns the forms that the part can be read from. */
  default List<Form> forms() {
    return List.of(form());
  }

  /** Switches a fresh part to one of its forms. */
  default void become(Form form) {}

  /**
   * Switches a fresh part to the first of its forms that {@code there} accepts; false if there is
   * none.
   */
  default boolean switchTo(Predicate<Form> there) {
    if (there.test(form())) return true;
    for (Form form : forms()) {
      if (!there.test(form)) continue;
      become(form);
      return true;
    }
    return false;
  }
}
