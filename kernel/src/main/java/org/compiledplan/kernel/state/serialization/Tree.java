package org.compiledplan.kernel.state.serialization;

import java.util.LinkedHashMap;

/**
 * Fields of a part of state by name, see {@link TreeFields}; distinct from maps that are column
 * values.
 */
public final class Tree extends LinkedHashMap<String, Object> {
  public Tree() {}

  public Tree(Tree source) {
    super(source);
  }
}
