package org.apache.kafka.common.header;

public interface Header {}
