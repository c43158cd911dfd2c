package org.compiledplan.kernel.kafka.clients;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsOptions;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.compiledplan.kernel.kafka.KafkaException;

/**
 * The marks of a run as stored by the brokers; see {@link
 * org.compiledplan.kernel.kafka.TransactionWriter}.
 */
final class Marks implements AutoCloseable {
  private final JsonNode spec;
  private final int tasks;
  private final String ofTask;
  private final Admin admin;

  Marks(JsonNode spec, int task) {
    this.spec = spec;
    tasks = spec.path("tasks").asInt();
    ofTask = tasks == 1 ? group() : group() + "-" + task;
    admin = Admin.create(ProducerTransactions.settings(spec));
  }

  private String group() {
    return spec.path("marks").asText();
  }

  private String table() {
    return spec.path("table").asText();
  }

  /** Throws if another run has taken over the transactional ids. */
  void checkOwner() {
    OffsetAndMetadata mark = last(spec.path("owner").asText());
    if (mark == null || mark.metadata().equals(spec.path("run").asText())) return;
    throw new KafkaException(
        ("another run, %s, has begun to write table %s with the same "
                + "'sink.transactional-id-prefix'")
            .formatted(mark.metadata(), table()));
  }

  /** Returns true if a batch is written. */
  boolean have(long batch, boolean mayBeWritten) {
    OffsetAndMetadata mark = last(ofTask);
    if (mark == null || mark.offset() < batch) return false;
    boolean alike = mark.metadata().equals(Integer.toString(tasks));
    if (mark.offset() == batch && mayBeWritten && alike) return true;
    throw new KafkaException(
        ("Kafka has micro-batch %s of this checkpoint in table %s already, and the run is at "
                + "%s: the checkpoint is an older copy, or another run goes on with a copy of it")
            .formatted(mark.offset(), table(), batch));
  }

  Map<String, Map<TopicPartition, OffsetAndMetadata>> of(long batch) {
    TopicPartition place = new TopicPartition(spec.path("topic").asText(), 0);
    OffsetAndMetadata mark = new OffsetAndMetadata(batch, Integer.toString(tasks));
    Map<String, Map<TopicPartition, OffsetAndMetadata>> marks = new LinkedHashMap<>();
    marks.put(group(), Map.of(place, mark));
    marks.put(ofTask, Map.of(place, mark));
    return marks;
  }

  /** The newest mark of a group; waits for transactions that are being committed. */
  private OffsetAndMetadata last(String group) {
    OffsetAndMetadata latest = null;
    ListConsumerGroupOffsetsOptions options =
        new ListConsumerGroupOffsetsOptions().requireStable(true);
    try {
      // The table's topic may have changed.
      for (OffsetAndMetadata mark :
          admin
              .listConsumerGroupOffsets(group, options)
              .partitionsToOffsetAndMetadata()
              .get()
              .values())
        if (mark != null && (latest == null || mark.offset() > latest.offset())) latest = mark;
      return latest;
    } catch (InterruptedException error) {
      throw new InterruptException(error);
    } catch (ExecutionException error) {
      if (error.getCause() instanceof RuntimeException) throw (RuntimeException) error.getCause();
      throw new KafkaException(error.getCause().toString());
    }
  }

  @Override
  public void close() {
    admin.close(Duration.ZERO);
  }
}
