package org.compiledplan.kernel.kafka.clients;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.Iterator;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.spark.sql.Row;
import org.compiledplan.kernel.kafka.BrokersAwayException;
import org.compiledplan.kernel.kafka.KafkaException;
import org.compiledplan.kernel.kafka.Transactions;

/**
 * Transactions of a Kafka producer.
 *
 * <p>Correctness depends on the order of steps: initializing a producer fences all older ones with
 * its transactional id, so the marks read afterwards can change only through a newer producer,
 * which fences this one and makes its commit fail.
 */
public final class ProducerTransactions implements Transactions {
  private static final Duration ENOUGH = Duration.ofSeconds(5);

  @Override
  public void write(JsonNode spec, long batch, int task, boolean mayBeWritten, Iterator<Row> rows) {
    String id = spec.path("prefix").asText() + "-" + task;
    try (Marks marks = new Marks(spec, task)) {
      // Checked before other producers are fenced: they may be the rightful owner.
      marks.checkOwner();
      write(spec, marks, id, batch, mayBeWritten, rows);
    } catch (org.apache.kafka.common.KafkaException error) {
      throw failure(error, spec, id);
    }
  }

  private static void write(
      JsonNode spec, Marks marks, String id, long batch, boolean mayBeWritten, Iterator<Row> rows) {
    KafkaProducer<byte[], byte[]> producer = producer(spec, id);
    boolean begun = false, done = false;
    try {
      producer.initTransactions();
      if (marks.have(batch, mayBeWritten)) return;
      producer.beginTransaction();
      begun = true;
      send(producer, spec, rows);
      for (Map.Entry<String, Map<TopicPartition, OffsetAndMetadata>> mark :
          marks.of(batch).entrySet())
        producer.sendOffsetsToTransaction(
            mark.getValue(), new ConsumerGroupMetadata(mark.getKey()));
      producer.commitTransaction();
      done = true;
    } finally {
      // A stopped task is interrupted, and Kafka's clients fail while the interrupt flag is set.
      boolean interrupted = Thread.interrupted();
      if (begun && !done) abort(producer);
      producer.close(done ? ENOUGH : Duration.ZERO);
      if (interrupted) Thread.currentThread().interrupt();
    }
  }

  /** Aborts, so that readers of committed messages need not wait for the transaction timeout. */
  private static void abort(KafkaProducer<byte[], byte[]> producer) {
    try {
      producer.abortTransaction();
    } catch (RuntimeException error) {
      // The original error says more, and the next producer of this id ends the transaction.
    }
  }

  private static KafkaProducer<byte[], byte[]> producer(JsonNode spec, String id) {
    Properties settings = settings(spec);
    settings.put("transactional.id", id);
    return new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
  }

  static Properties settings(JsonNode spec) {
    Properties settings = new Properties();
    spec.path("settings")
        .properties()
        .forEach(e -> settings.put(e.getKey(), e.getValue().asText()));
    return settings;
  }

  private static void send(
      KafkaProducer<byte[], byte[]> producer, JsonNode spec, Iterator<Row> rows) {
    AtomicReference<Exception> failed = new AtomicReference<>();
    Messages messages = new Messages(spec);
    while (rows.hasNext() && failed.get() == null) {
      producer.send(
          messages.of(rows.next()),
          (done, error) -> {
            if (error != null) failed.compareAndSet(null, error);
          });
    }
    // Errors that the callbacks miss are reported by the commit.
    Exception error = failed.get();
    if (error instanceof RuntimeException) throw (RuntimeException) error;
    if (error != null) throw new KafkaException(error.toString());
  }

  /** The error of a Kafka client, worded for the user. */
  private static KafkaException failure(RuntimeException error, JsonNode spec, String id) {
    String brokers = spec.path("settings").path("bootstrap.servers").asText();
    String context =
        "Kafka's brokers " + brokers + ", writing table " + spec.path("table").asText();
    for (Throwable cause = error; cause != null; cause = cause.getCause()) {
      String reason = cause.getClass().getSimpleName() + ": " + cause.getMessage();
      if (cause instanceof ProducerFencedException
          || cause instanceof InvalidProducerEpochException)
        return new KafkaException(
            context
                + ": the transaction "
                + id
                + " was ended by the brokers. Another run began to write with the same"
                + " 'sink.transactional-id-prefix', or it took longer than"
                + " 'properties.transaction.timeout.ms' = "
                + spec.path("settings").path("transaction.timeout.ms").asText());
      if (reason.contains("transaction.max.timeout.ms"))
        return new KafkaException(
            context
                + ": 'properties.transaction.timeout.ms' = "
                + spec.path("settings").path("transaction.timeout.ms").asText()
                + " is more than the brokers' transaction.max.timeout.ms allows");
      if (cause instanceof RetriableException)
        return new BrokersAwayException(context + ": " + reason);
    }
    Throwable last = error;
    while (last.getCause() != null) last = last.getCause();
    return new KafkaException(
        context + ": " + last.getClass().getSimpleName() + ": " + last.getMessage());
  }
}
