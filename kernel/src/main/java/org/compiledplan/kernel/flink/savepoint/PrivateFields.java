package org.compiledplan.kernel.flink.savepoint;

import java.lang.reflect.Field;

/** Private fields of Flink's serializers and snapshots, which have no getters for them. */
final class PrivateFields {
  private PrivateFields() {}

  static Object get(Object object, String name) {
    try {
      return field(object, name).get(object);
    } catch (IllegalAccessException error) {
      throw new IllegalStateException(error);
    }
  }

  static void set(Object object, String name, Object value) {
    try {
      field(object, name).set(object, value);
    } catch (IllegalAccessException error) {
      throw new IllegalStateException(error);
    }
  }

  static boolean has(Object object, String name) {
    return find(object.getClass(), name) != null;
  }

  private static Field field(Object object, String name) {
    Field field = find(object.getClass(), name);
    if (field == null) {
      throw new IllegalStateException(
          object.getClass().getName() + " has no field " + name + ": another version of Flink");
    }
    return field;
  }

  private static Field find(Class<?> type, String name) {
    for (Class<?> owner = type; owner != null; owner = owner.getSuperclass()) {
      for (Field field : owner.getDeclaredFields()) {
        if (field.getName().equals(name)) {
          field.setAccessible(true);
          return field;
        }
      }
    }
    return null;
  }
}
