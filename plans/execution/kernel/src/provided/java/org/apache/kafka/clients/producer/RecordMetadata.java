package org.apache.kafka.clients.producer;

public final class RecordMetadata {}
