package org.compiledplan.kernel.userfunctions.flink;

import org.compiledplan.kernel.values.ValueType;

/** Conversion between the kernel's values of a type and objects of the class a function wants. */
abstract class Conversion {
  /** The type of the kernel's values. */
  final ValueType type;

  Conversion(ValueType type) {
    this.type = type;
  }

  /** The object of a value; null of null. */
  final Object in(Object value) {
    return value == null ? null : external(value);
  }

  /** The value of an object; null of null. */
  final Object out(Object object) {
    return object == null ? null : internal(object);
  }

  abstract Object external(Object value);

  abstract Object internal(Object object);
}
