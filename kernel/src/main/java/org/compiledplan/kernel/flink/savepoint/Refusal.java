package org.compiledplan.kernel.flink.savepoint;

import java.io.IOException;

/** A savepoint that cannot be read: the problem, the place and the remedy. */
final class Refusal extends IOException {
  private static final long serialVersionUID = 1;

  private final String where;
  private final String remedy;

  Refusal(String message, String where, String remedy) {
    super(message);
    this.where = where;
    this.remedy = remedy;
  }

  String where() {
    return where;
  }

  String remedy() {
    return remedy;
  }

  /** The same refusal at a place, unless it already has one. */
  Refusal at(String place) {
    return where.isEmpty() ? new Refusal(getMessage(), place, remedy) : this;
  }
}
