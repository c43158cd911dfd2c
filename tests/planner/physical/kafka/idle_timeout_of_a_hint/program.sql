SET 'table.exec.source.idle-timeout' = '5 s';
CREATE TABLE t (ts TIMESTAMP(3), n INT, WATERMARK FOR ts AS ts - INTERVAL '1' SECOND) WITH ('connector' = 'kafka', 'topic' = 't', 'properties.bootstrap.servers' = 'localhost:9092', 'scan.startup.mode' = 'earliest-offset', 'format' = 'json', 'scan.watermark.idle-timeout' = '3 s');
CREATE TABLE o (w TIMESTAMP(3), n INT) WITH ('connector' = 'print');
INSERT INTO o SELECT ts, n FROM t /*+ OPTIONS('scan.watermark.idle-timeout' = '2 s') */;
