package org.compiledplan.kernel.aggregates;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;

/**
 * A Python process that computes the accumulators of one aggregate function; one request at a time,
 * over its standard input and output. Idle workers wait in a pool for the next task of this
 * process.
 */
public final class PythonWorker {
  private static final Map<String, ConcurrentLinkedDeque<PythonWorker>> IDLE =
      new ConcurrentHashMap<>();

  /** The workers that threads wait for. */
  private static final Map<Thread, PythonWorker> BUSY = new ConcurrentHashMap<>();

  private final Process process;
  private final DataOutputStream out;
  private final DataInputStream in;

  static {
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  for (ConcurrentLinkedDeque<PythonWorker> workers : IDLE.values()) {
                    for (PythonWorker worker : workers) worker.process.destroy();
                  }
                }));
  }

  private PythonWorker(PythonCall call) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(call.executable(), "-P", "-c", call.program());
    builder.redirectError(ProcessBuilder.Redirect.INHERIT);
    process = builder.start();
    out = new DataOutputStream(new BufferedOutputStream(process.getOutputStream(), 1 << 16));
    in = new DataInputStream(new BufferedInputStream(process.getInputStream(), 1 << 16));
    send(call.payload(), call.payload().length);
    receive();
  }

  /**
   * Sends a request and returns the worker's answer.
   *
   * @throws PythonFailure if the function failed, with its message
   */
  static byte[] ask(PythonCall call, byte[] request, int length) {
    ConcurrentLinkedDeque<PythonWorker> idle =
        IDLE.computeIfAbsent(call.token(), token -> new ConcurrentLinkedDeque<>());
    PythonWorker worker = idle.pollFirst();
    while (worker != null && !worker.process.isAlive()) worker = idle.pollFirst();
    boolean whole = false;
    try {
      if (worker == null) worker = new PythonWorker(call);
      BUSY.put(Thread.currentThread(), worker);
      worker.send(request, length);
      byte[] answer = worker.receive();
      whole = true;
      return answer;
    } catch (EOFException fault) {
      throw new PythonFailure(
          "the Python process of an aggregate function ended: its stderr says why");
    } catch (IOException fault) {
      throw new PythonFailure("the Python process of an aggregate function: " + fault.getMessage());
    } finally {
      BUSY.remove(Thread.currentThread());
      if (whole) idle.addFirst(worker);
      else if (worker != null) worker.process.destroyForcibly();
    }
  }

  /** Ends the process that a thread waits for, if any: its call fails. */
  public static void end(Thread thread) {
    PythonWorker worker = BUSY.get(thread);
    if (worker != null) worker.process.destroyForcibly();
  }

  private void send(byte[] bytes, int length) throws IOException {
    out.writeInt(length);
    out.write(bytes, 0, length);
    out.flush();
  }

  private byte[] receive() throws IOException {
    int status = in.readByte();
    byte[] bytes = new byte[in.readInt()];
    in.readFully(bytes);
    if (status != 0) throw new PythonFailure(new String(bytes, StandardCharsets.UTF_8));
    return bytes;
  }

  static final class PythonFailure extends RuntimeException {
    PythonFailure(String message) {
      super(message);
    }
  }
}
