package org.apache.kafka.common.serialization;

public class ByteArraySerializer implements Serializer<byte[]> {}
