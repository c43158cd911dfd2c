package org.apache.kafka.clients.producer;

public interface Callback {
  void onCompletion(RecordMetadata metadata, Exception error);
}
