package org.compiledplan.kernel.kafka.clients;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.spark.sql.Row;
import org.compiledplan.kernel.kafka.KafkaException;
import org.compiledplan.kernel.kafka.Sender;
import org.compiledplan.kernel.sinks.RowSink;

/**
 * Sends messages with a Kafka producer, one for all tasks of a process with the same settings. It
 * is reused across batches, since creating one takes longer than the pause between two batches.
 */
public final class ProducerSender implements Sender {
  private static final Map<String, KafkaProducer<byte[], byte[]>> PRODUCERS =
      new ConcurrentHashMap<>();

  @Override
  public RowSink open(JsonNode spec) {
    KafkaProducer<byte[], byte[]> producer =
        PRODUCERS.computeIfAbsent(
            spec.path("settings").toString(),
            settings ->
                new KafkaProducer<>(
                    ProducerTransactions.settings(spec),
                    new ByteArraySerializer(),
                    new ByteArraySerializer()));
    return new Sending(producer, spec);
  }

  private static final class Sending implements RowSink {
    private final KafkaProducer<byte[], byte[]> producer;
    private final Messages messages;
    private final AtomicReference<Exception> failed = new AtomicReference<>();

    Sending(KafkaProducer<byte[], byte[]> producer, JsonNode spec) {
      this.producer = producer;
      this.messages = new Messages(spec);
    }

    @Override
    public void write(Row row) {
      check();
      producer.send(
          messages.of(row),
          (done, error) -> {
            if (error != null) failed.compareAndSet(null, error);
          });
    }

    @Override
    public void finish() {
      producer.flush();
      check();
    }

    private void check() {
      Exception error = failed.get();
      if (error != null) throw new KafkaException("Kafka rejected a message: " + error);
    }
  }
}
