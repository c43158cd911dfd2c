CREATE TABLE t (k INT, ts TIMESTAMP(3), n INT, WATERMARK FOR ts AS ts - INTERVAL '1' SECOND, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', 'topic' = 't', 'properties.bootstrap.servers' = 'localhost:9092', 'key.format' = 'json', 'value.format' = 'json', 'scan.watermark.idle-timeout' = '1 s');
CREATE TABLE o (w TIMESTAMP(3), n INT) WITH ('connector' = 'print');
INSERT INTO o SELECT ts, n FROM t;
