CREATE TABLE K (a INT, b STRING, t STRING, ts AS TO_TIMESTAMP(t), WATERMARK FOR ts AS ts) WITH ('connector' = 'kafka','topic' = 'a','properties.bootstrap.servers' = 'localhost:9092','format' = 'json', 'scan.startup.mode'='earliest-offset');
CREATE TABLE o (b STRING, ts TIMESTAMP(3)) WITH ('connector' = 'blackhole');
INSERT INTO o SELECT b, ts FROM K;
