package org.compiledplan.kernel.host.spark;

import java.io.IOException;
import java.net.URL;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.execution.streaming.state.RocksDBLoader;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.StructType;
import org.codehaus.janino.ClassBodyEvaluator;
import org.compiledplan.kernel.host.versions.SparkGate;
import sun.misc.Signal;

/**
 * A faster session start: classes that every run needs are loaded in parallel, and features that no
 * plan needs are skipped.
 */
public final class SessionStart {
  /** The file in which a jar names its extensions of every session. */
  private static final String EXTENSIONS =
      "META-INF/services/org.apache.spark.sql.SparkSessionExtensionsProvider";

  private static final List<Preparation> PREPARATIONS =
      List.of(
          () -> StructType.fromDDL("a INT NOT NULL, b STRUCT<c: DECIMAL(38, 18)>"),
          // Janino's jar is signed, so its classes are in no class-data archive.
          () -> new ClassBodyEvaluator().cook("public int one() { return new int[] {1}[0]; }"),
          RocksDBLoader::loadLibrary);

  private SessionStart() {}

  private interface Preparation {
    void run() throws Exception;
  }

  /**
   * Loads classes that every run needs, in a separate thread; failures are left to the run to
   * report.
   *
   * @param machineLearning true if the session is to have the functions of Spark's machine learning
   */
  public static void prepare(boolean machineLearning) {
    List<Preparation> all = new ArrayList<>(PREPARATIONS);
    if (machineLearning) all.add(0, () -> SparkGate.SPARK.loadMachineLearning());
    begin(all);
  }

  /**
   * Leaves signals that end processes to the driver: a service manager sends them to all processes
   * of a run, and the driver stops it. Child processes keep the default actions.
   */
  public static void leaveSignals() {
    for (String name : List.of("TERM", "HUP")) Signal.handle(new Signal(name), signal -> {});
  }

  /**
   * Plans a query of the session and compiles its code, to warm up Spark's planner; runs no job.
   */
  public static void prepareQueries() {
    begin(List.of(SessionStart::plan));
  }

  /**
   * Clears the origins of Hadoop's thousand settings: Hadoop compresses each origin separately
   * whenever settings are sent, that is with every source and stage of a micro-batch. Call it after
   * file systems have been used, because they add settings.
   */
  public static void forgetOrigins(SparkSession session) {
    Configuration settings = session.sparkContext().hadoopConfiguration();
    settings.size(); // loads them
    SparkGate.SPARK.clearOrigins(settings);
  }

  private static void plan() {
    Dataset<Row> rows =
        SparkSession.getDefaultSession()
            .get()
            .range(1)
            .selectExpr("CAST(id AS STRING) k", "NAMED_STRUCT('a', id, 'b', 'x') v")
            .where("k <> 'y'")
            .repartition(functions.col("k"))
            .sortWithinPartitions("k")
            .selectExpr("v.a + 1", "v.b");
    Plans.of(rows).toRdd();
  }

  private static void begin(List<Preparation> preparations) {
    Thread thread = new Thread(() -> preparations.forEach(SessionStart::attempt), "prepare-start");
    thread.setDaemon(true);
    thread.start();
  }

  private static void attempt(Preparation preparation) {
    try {
      preparation.run();
    } catch (Exception | LinkageError fault) {
      // The run fails with the same error where it matters.
    }
  }

  /**
   * Makes this thread's new sessions skip the SQL functions of Spark's machine learning, whose
   * registration by reflection takes half a second. Extensions of other jars remain.
   *
   * @return the class loader to {@link #restore}
   */
  public static ClassLoader withoutMachineLearning() {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    thread.setContextClassLoader(new WithoutMachineLearning(before));
    return before;
  }

  public static void restore(ClassLoader before) {
    Thread.currentThread().setContextClassLoader(before);
  }

  private static final class WithoutMachineLearning extends ClassLoader {
    static {
      registerAsParallelCapable();
    }

    WithoutMachineLearning(ClassLoader parent) {
      super(parent);
    }

    @Override
    public Enumeration<URL> getResources(String name) throws IOException {
      Enumeration<URL> resources = super.getResources(name);
      if (!name.equals(EXTENSIONS)) return resources;
      List<URL> remaining = new ArrayList<>(Collections.list(resources));
      remaining.removeIf(url -> url.getPath().contains("/spark-mllib_"));
      return Collections.enumeration(remaining);
    }
  }
}
