package org.compiledplan.kernel.kafka.clients;

import com.fasterxml.jackson.databind.JsonNode;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RetriableException;
import org.compiledplan.kernel.kafka.BrokersAwayException;
import org.compiledplan.kernel.kafka.KafkaException;

/** What Kafka's clients fail with, in words for the user. */
record Failures(JsonNode spec, String id) {
  KafkaException told(RuntimeException error) {
    String brokers = spec.path("settings").path("bootstrap.servers").asText();
    String what = "Kafka's brokers " + brokers + ", writing table " + spec.path("table").asText();
    for (Throwable each = error; each != null; each = each.getCause()) {
      String said = each.getClass().getSimpleName() + ": " + each.getMessage();
      if (each instanceof ProducerFencedException || each instanceof InvalidProducerEpochException)
        return new KafkaException(
            what
                + ": the transaction "
                + id
                + " was ended by the brokers. Another run began to write with the same"
                + " 'sink.transactional-id-prefix', or it took longer than"
                + " 'properties.transaction.timeout.ms' = "
                + spec.path("settings").path("transaction.timeout.ms").asText());
      if (said.contains("transaction.max.timeout.ms"))
        return new KafkaException(
            what
                + ": 'properties.transaction.timeout.ms' = "
                + spec.path("settings").path("transaction.timeout.ms").asText()
                + " is more than the brokers' transaction.max.timeout.ms allows");
      if (each instanceof RetriableException) return new BrokersAwayException(what + ": " + said);
    }
    Throwable last = error;
    while (last.getCause() != null) last = last.getCause();
    return new KafkaException(
        what + ": " + last.getClass().getSimpleName() + ": " + last.getMessage());
  }
}
