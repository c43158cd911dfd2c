CREATE TABLE K (
  topic STRING METADATA VIRTUAL, `partition` INT METADATA VIRTUAL, headers MAP<STRING, BYTES> METADATA, `leader-epoch` INT METADATA VIRTUAL, `offset` BIGINT METADATA VIRTUAL, `timestamp` TIMESTAMP_LTZ(3) METADATA, `timestamp-type` STRING METADATA VIRTUAL, v INT
) WITH ('connector' = 'kafka','topic' = 'a','properties.bootstrap.servers' = 'localhost:9092','format' = 'json');
CREATE TABLE K2 (v INT, headers MAP<STRING, BYTES> METADATA, ts TIMESTAMP(3) METADATA FROM 'timestamp'
) WITH ('connector' = 'kafka','topic' = 'a','properties.bootstrap.servers' = 'localhost:9092','format' = 'json', 'sink.partitioner'='round-robin');
INSERT INTO K2 SELECT v+`partition`, headers, CAST(`timestamp` AS TIMESTAMP(3)) FROM K WHERE topic='x' AND `leader-epoch`>1 AND `timestamp-type`='CreateTime';
