SET 'table.exec.source.idle-timeout' = '5 s';
CREATE TABLE t (ts TIMESTAMP(3), n INT, WATERMARK FOR ts AS ts - INTERVAL '1' SECOND) WITH ('connector' = 'kafka', 'topic' = 't', 'properties.bootstrap.servers' = 'localhost:9092', 'scan.startup.mode' = 'earliest-offset', 'format' = 'json', 'scan.watermark.idle-timeout' = '0 s');
CREATE TABLE o (w TIMESTAMP(3), n INT) WITH ('connector' = 'print');
INSERT INTO o SELECT window_start, SUM(n) FROM TUMBLE(TABLE t , DESCRIPTOR(ts), INTERVAL '10' SECOND) GROUP BY window_start, window_end;
