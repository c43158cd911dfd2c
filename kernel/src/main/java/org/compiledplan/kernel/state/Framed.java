package org.compiledplan.kernel.state;

import java.util.List;
import java.util.function.Predicate;

/**
 * A part whose bytes say of which form they are: its code, its version, their length, then the
 * fields. So one who reads can tell what is there, and pass over what it does not know.
 */
public interface Framed extends Stored {
  /** What a frame can be. Codes and names are for ever; a change of the fields is a new version. */
  interface Form {
    int code();

    String text();

    int version();
  }

  Form form();

  /** The forms that it can be read from. */
  default List<Form> forms() {
    return List.of(form());
  }

  /** Makes a fresh part one of a form that it can be read from. */
  default void become(Form form) {}

  /** Makes a fresh part one of the form that is there; false if it cannot be read from it. */
  default boolean becomes(Predicate<Form> there) {
    if (there.test(form())) return true;
    for (Form form : forms()) {
      if (!there.test(form)) continue;
      become(form);
      return true;
    }
    return false;
  }
}
