package org.compiledplan.kernel.userfunctions.flink;

import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.extraction.ExtractionUtils;
import org.apache.flink.table.types.extraction.ExtractionUtils.AssigningConstructor;
import org.apache.flink.table.types.logical.utils.LogicalTypeChecks;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;
import org.apache.flink.types.RowUtils;
import org.compiledplan.kernel.values.Struct;
import org.compiledplan.kernel.values.ValueType;
import org.compiledplan.kernel.values.ValueType.Kind;

/** Conversions of rows and of structured types. */
final class Rows {
  private Rows() {}

  static Conversion of(DataType type) {
    boolean isInternal = Conversions.is(type, RowData.class);
    List<Conversion> parts = new ArrayList<>();
    for (DataType child : type.getChildren())
      parts.add(Conversions.of(Collections.inner(child, isInternal)));
    Conversion[] fields = parts.toArray(Conversion[]::new);
    ValueType[] types = parts.stream().map(part -> part.type).toArray(ValueType[]::new);
    ValueType own = ValueType.nested(Kind.ROW, types);
    List<String> names = LogicalTypeChecks.getFieldNames(type.getLogicalType());
    if (isInternal) return rowData(own, fields, type);
    if (Conversions.is(type, Row.class)) return row(own, fields, names);
    return structured(own, fields, names, type);
  }

  private static Conversion rowData(ValueType own, Conversion[] fields, DataType type) {
    RowData.FieldGetter[] getters = new RowData.FieldGetter[fields.length];
    List<DataType> children = type.getChildren();
    for (int i = 0; i < getters.length; i++)
      getters[i] = RowData.createFieldGetter(children.get(i).getLogicalType(), i);
    return Conversions.simple(
        own,
        value -> GenericRowData.of(objects((Struct) value, fields)),
        object -> {
          Object[] values = new Object[fields.length];
          for (int i = 0; i < values.length; i++)
            values[i] = fields[i].out(getters[i].getFieldOrNull((RowData) object));
          return new Struct(values);
        });
  }

  private static Conversion row(ValueType own, Conversion[] fields, List<String> names) {
    LinkedHashMap<String, Integer> positions = new LinkedHashMap<>();
    for (int i = 0; i < fields.length; i++) positions.put(names.get(i), i);
    return Conversions.simple(
        own,
        value ->
            RowUtils.createRowWithNamedPositions(
                RowKind.INSERT, objects((Struct) value, fields), positions),
        object -> {
          Row row = (Row) object;
          boolean isNamed = row.getFieldNames(false) != null;
          if (!isNamed && row.getArity() != fields.length)
            throw new IllegalArgumentException(
                "a row of %d fields where %d are declared"
                    .formatted(row.getArity(), fields.length));
          Object[] values = new Object[fields.length];
          for (int i = 0; i < values.length; i++)
            values[i] = fields[i].out(isNamed ? row.getField(names.get(i)) : row.getField(i));
          return new Struct(values);
        });
  }

  private static Object[] objects(Struct value, Conversion[] fields) {
    Object[] objects = new Object[fields.length];
    for (int i = 0; i < objects.length; i++) objects[i] = fields[i].in(value.fields()[i]);
    return objects;
  }

  /** Reads or writes one field of an object. */
  private interface Access {
    Object get(Object object) throws ReflectiveOperationException;

    void set(Object object, Object value) throws ReflectiveOperationException;
  }

  private static Conversion structured(
      ValueType own, Conversion[] fields, List<String> names, DataType type) {
    Class<?> class_ = type.getConversionClass();
    Access[] accesses = new Access[fields.length];
    List<Field> declared = new ArrayList<>();
    for (int i = 0; i < fields.length; i++) {
      Field field = ExtractionUtils.getStructuredField(class_, names.get(i));
      declared.add(field);
      accesses[i] = access(class_, field);
    }
    Creation creation = creation(class_, declared, names, fields, accesses);
    return Conversions.simple(
        own,
        value -> {
          try {
            return creation.create(((Struct) value).fields());
          } catch (ReflectiveOperationException error) {
            throw failed(class_, error);
          }
        },
        object -> {
          Object[] values = new Object[fields.length];
          try {
            for (int i = 0; i < values.length; i++)
              values[i] = fields[i].out(accesses[i].get(object));
          } catch (ReflectiveOperationException error) {
            throw failed(class_, error);
          }
          return new Struct(values);
        });
  }

  /** Creates an object from the kernel's values of its fields. */
  private interface Creation {
    Object create(Object[] values) throws ReflectiveOperationException;
  }

  private static Creation creation(
      Class<?> class_,
      List<Field> declared,
      List<String> names,
      Conversion[] fields,
      Access[] accesses) {
    AssigningConstructor assigning = ExtractionUtils.extractAssigningConstructor(class_, declared);
    if (assigning != null) {
      Constructor<?> constructor = assigning.constructor;
      constructor.setAccessible(true);
      Map<String, Integer> positions = new LinkedHashMap<>();
      for (int i = 0; i < names.size(); i++) positions.put(names.get(i), i);
      int[] order = assigning.parameterNames.stream().mapToInt(positions::get).toArray();
      return values -> {
        Object[] arguments = new Object[order.length];
        for (int i = 0; i < order.length; i++) arguments[i] = fields[order[i]].in(values[order[i]]);
        return constructor.newInstance(arguments);
      };
    }
    Constructor<?> constructor;
    try {
      constructor = class_.getDeclaredConstructor();
    } catch (NoSuchMethodException error) {
      throw new IllegalArgumentException(
          class_.getName() + " has neither a constructor of all its fields nor one without any");
    }
    constructor.setAccessible(true);
    return values -> {
      Object object = constructor.newInstance();
      // A null in a primitive field stays its default.
      for (int i = 0; i < values.length; i++)
        if (values[i] != null || !declared.get(i).getType().isPrimitive())
          accesses[i].set(object, fields[i].in(values[i]));
      return object;
    };
  }

  private static Access access(Class<?> class_, Field field) {
    Optional<Method> getter = ExtractionUtils.getStructuredFieldGetter(class_, field);
    Optional<Method> setter = ExtractionUtils.getStructuredFieldSetter(class_, field);
    boolean isReadable = ExtractionUtils.isStructuredFieldDirectlyReadable(field);
    boolean isWritable = ExtractionUtils.isStructuredFieldDirectlyWritable(field);
    field.setAccessible(true);
    getter.ifPresent(method -> method.setAccessible(true));
    setter.ifPresent(method -> method.setAccessible(true));
    return new Access() {
      @Override
      public Object get(Object object) throws ReflectiveOperationException {
        return isReadable || getter.isEmpty() ? field.get(object) : getter.get().invoke(object);
      }

      @Override
      public void set(Object object, Object value) throws ReflectiveOperationException {
        if (isWritable || setter.isEmpty()) field.set(object, value);
        else setter.get().invoke(object, value);
      }
    };
  }

  private static IllegalArgumentException failed(
      Class<?> class_, ReflectiveOperationException error) {
    Throwable cause = error instanceof InvocationTargetException ? error.getCause() : error;
    return new IllegalArgumentException(
        "an object of %s cannot be read or created: %s".formatted(class_.getName(), cause), cause);
  }
}
