package org.compiledplan.kernel.realtime;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import org.apache.spark.sql.Row;
import org.compiledplan.kernel.sinks.RowSink;

/**
 * Sends lines to the program that started the query, for it to print.
 *
 * <p>Description: {@code {"host", "port", "secret", "sink": number}}; rows have the line. Protocol:
 * the secret, the number, then each line prefixed by its length in bytes, and -1 at the end, which
 * is answered with a byte when all lines are printed.
 */
final class LinesToDriver implements RowSink {
  private static final int CONNECT_MS = 10_000;

  private final JsonNode spec;
  private Socket socket;
  private DataOutputStream out;

  LinesToDriver(JsonNode spec, Task task) {
    this.spec = spec;
  }

  @Override
  public void write(Row row) throws IOException {
    if (socket == null) connect();
    send(row.getString(0));
    out.flush();
  }

  private void connect() throws IOException {
    socket = new Socket();
    socket.setTcpNoDelay(true);
    socket.connect(
        new InetSocketAddress(spec.path("host").asText(), spec.path("port").asInt()), CONNECT_MS);
    out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
    send(spec.path("secret").asText());
    out.writeInt(spec.path("sink").asInt());
  }

  private void send(String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    out.writeInt(bytes.length);
    out.write(bytes);
  }

  @Override
  public void finish() throws IOException {
    if (socket == null) return;
    out.writeInt(-1);
    out.flush();
    if (socket.getInputStream().read() < 0)
      throw new EOFException("the program that prints rows has ended");
    socket.close();
  }

  @Override
  public void abort() {
    try {
      if (socket != null) socket.close();
    } catch (IOException error) {
      // The connection is discarded in any case.
    }
  }
}
