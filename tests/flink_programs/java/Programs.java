import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.apache.flink.table.planner.plan.nodes.exec.testutils.RestoreTestBase;
import org.apache.flink.table.test.program.TableTestProgram;

/** The test programs in jars of Flink's tests. */
final class Programs {
  private static final String MENTION = "L" + TableTestProgram.class.getName().replace('.', '/');

  private Programs() {}

  /** Every program, by its id: static fields first, then the lists of the classes that run them. */
  static Map<String, TableTestProgram> in(List<String> jars) throws Exception {
    Map<String, TableTestProgram> programs = new LinkedHashMap<>();
    for (Class<?> type : mentioning(jars)) {
      for (Field field : type.getDeclaredFields()) {
        if (Modifier.isStatic(field.getModifiers()) && field.getType() == TableTestProgram.class) {
          field.setAccessible(true);
          add(programs, (TableTestProgram) field.get(null));
        }
      }
    }
    for (Class<?> type : mentioning(jars)) listed(type).forEach(program -> add(programs, program));
    return programs;
  }

  /** The programs that the restore tests of streams run, which may share their ids with others. */
  static Map<String, TableTestProgram> restored(List<String> jars) throws Exception {
    Map<String, TableTestProgram> programs = new LinkedHashMap<>();
    for (Class<?> type : mentioning(jars)) {
      if (RestoreTestBase.class.isAssignableFrom(type)) {
        listed(type).forEach(program -> add(programs, program));
      }
    }
    return programs;
  }

  private static void add(Map<String, TableTestProgram> programs, TableTestProgram program) {
    programs.putIfAbsent(program.id, program);
  }

  /**
   * The classes whose constants name the type of a program; no other class of the jars is loaded.
   */
  private static List<Class<?>> mentioning(List<String> jars) throws Exception {
    List<Class<?>> types = new ArrayList<>();
    for (String jar : jars) {
      try (JarFile file = new JarFile(jar)) {
        for (JarEntry entry : Collections.list(file.entries())) {
          if (!entry.getName().endsWith(".class")) continue;
          byte[] bytes = file.getInputStream(entry).readAllBytes();
          if (!new String(bytes, StandardCharsets.ISO_8859_1).contains(MENTION)) continue;
          String name = entry.getName().replace(".class", "").replace('/', '.');
          types.add(Class.forName(name, false, Programs.class.getClassLoader()));
        }
      }
    }
    return types;
  }

  /** The result of `programs()` of a test class; empty where it has no such method. */
  @SuppressWarnings("unchecked")
  private static List<TableTestProgram> listed(Class<?> type) throws Exception {
    try {
      if (Modifier.isAbstract(type.getModifiers())) return List.of();
      Method method = type.getMethod("programs");
      Constructor<?> constructor = type.getDeclaredConstructor();
      method.setAccessible(true);
      constructor.setAccessible(true);
      List<TableTestProgram> programs =
          (List<TableTestProgram>) method.invoke(constructor.newInstance());
      return programs == null ? List.of() : programs;
    } catch (NoSuchMethodException none) {
      return List.of();
    }
  }
}
