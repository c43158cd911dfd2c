CREATE TABLE K (a INT, b STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector' = 'kafka','topic' = 'a','properties.bootstrap.servers' = 'localhost:9092','format' = 'json', 'scan.startup.mode'='earliest-offset');
CREATE TABLE o (w TIMESTAMP(3), b STRING, n BIGINT) WITH ('connector' = 'kafka','topic' = 'b','properties.bootstrap.servers' = 'localhost:9092','format' = 'json');
INSERT INTO o SELECT window_start, b, COUNT(*) FROM TUMBLE(TABLE K, DESCRIPTOR(ts), INTERVAL '1' MINUTE) GROUP BY window_start, window_end, b;
