package org.apache.kafka.clients.producer;

import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.Serializer;

public class KafkaProducer<K, V> {
  public KafkaProducer(Properties settings, Serializer<K> keys, Serializer<V> values) {}

  public native void initTransactions();

  public native void beginTransaction();

  public native void sendOffsetsToTransaction(
      Map<TopicPartition, OffsetAndMetadata> offsets, ConsumerGroupMetadata group);

  public native void commitTransaction();

  public native void abortTransaction();

  public native Future<RecordMetadata> send(ProducerRecord<K, V> message, Callback done);

  public native void flush();

  public native void close(Duration atMost);
}
