CREATE TABLE K (a INT, b STRING, ts TIMESTAMP_LTZ(3) METADATA FROM 'timestamp', `offset` BIGINT METADATA VIRTUAL, WATERMARK FOR ts AS ts - INTERVAL '1' SECOND) WITH ('connector' = 'kafka','topic' = 'a','properties.bootstrap.servers' = 'localhost:9092','format' = 'json', 'scan.startup.mode'='earliest-offset');
CREATE TABLE o (w TIMESTAMP(3), n BIGINT) WITH ('connector' = 'blackhole');
INSERT INTO o SELECT window_start, COUNT(*) FROM TUMBLE(TABLE K, DESCRIPTOR(ts), INTERVAL '1' MINUTE) GROUP BY window_start, window_end;
