package org.compiledplan.kernel.formats;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.sparkproject.spark_core.protobuf.DescriptorProtos.FileDescriptorProto;
import org.sparkproject.spark_core.protobuf.DescriptorProtos.FileDescriptorSet;

/**
 * What a Java class that protoc made says of its message. The class is needed where a run starts;
 * tasks get the descriptors, and read and write with the library that Spark brings.
 */
public final class ProtobufClasses {
  /** The end of a name, since the library may have been moved into a package of its user's. */
  private static final String DESCRIPTOR = "protobuf.Descriptors$Descriptor";

  private ProtobufClasses() {}

  /**
   * The descriptors of a class, as options of the format.
   *
   * @param name the full name of the class
   * @param loaders those whose jars may have it, and the library it is made for
   * @throws ClassNotFoundException there is no such class
   * @throws DataException it is no message, or cannot be loaded
   */
  public static Map<String, String> described(String name, List<ClassLoader> loaders)
      throws ClassNotFoundException, IOException {
    URL[] jars =
        loaders.stream()
            .flatMap(ancestor -> jars(ancestor).stream())
            .distinct()
            .toArray(URL[]::new);
    // Of its own, since the jar of the messages may come earlier than that of their library.
    try (URLClassLoader loader = new URLClassLoader(jars, ClassLoader.getSystemClassLoader())) {
      Class<?> type = Class.forName(name, false, loader);
      Method method = type.getMethod("getDescriptor");
      if (!method.getReturnType().getName().endsWith(DESCRIPTOR)) throw new NoSuchMethodException();
      Object descriptor = method.invoke(null);
      return Map.of(
          ProtobufMessages.TYPE,
          (String) call(descriptor, "getFullName"),
          ProtobufMessages.DESCRIPTORS,
          Base64.getEncoder().encodeToString(files(call(descriptor, "getFile")).toByteArray()));
    } catch (ClassNotFoundException e) {
      throw e;
    } catch (NoSuchMethodException e) {
      throw new DataException("the class " + name + " is no message of Protocol Buffers");
    } catch (InvocationTargetException e) {
      throw unfit(name, e.getCause());
    } catch (ReflectiveOperationException | LinkageError e) {
      throw unfit(name, e);
    }
  }

  private static DataException unfit(String name, Throwable cause) {
    Throwable first = cause instanceof ExceptionInInitializerError ? cause.getCause() : cause;
    return new DataException("the class " + name + " cannot be used: " + first);
  }

  private static List<URL> jars(ClassLoader loader) {
    List<URL> urls = new ArrayList<>();
    for (ClassLoader ancestor = loader; ancestor != null; ancestor = ancestor.getParent()) {
      if (ancestor instanceof URLClassLoader jars) urls.addAll(Arrays.asList(jars.getURLs()));
    }
    return urls;
  }

  /** A file of types, behind those that it imports. */
  private static FileDescriptorSet files(Object file)
      throws ReflectiveOperationException, IOException {
    Map<String, FileDescriptorProto> files = new LinkedHashMap<>();
    collect(file, files);
    return FileDescriptorSet.newBuilder().addAllFile(files.values()).build();
  }

  private static void collect(Object file, Map<String, FileDescriptorProto> files)
      throws ReflectiveOperationException, IOException {
    String name = (String) call(file, "getName");
    if (files.containsKey(name)) return;
    for (Object imported : (List<?>) call(file, "getDependencies")) collect(imported, files);
    byte[] bytes = (byte[]) call(call(file, "toProto"), "toByteArray");
    files.put(name, FileDescriptorProto.parseFrom(bytes));
  }

  private static Object call(Object of, String method) throws ReflectiveOperationException {
    return of.getClass().getMethod(method).invoke(of);
  }
}
