package org.apache.kafka.common.serialization;

public interface Serializer<T> {}
