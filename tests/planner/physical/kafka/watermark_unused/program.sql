CREATE TABLE K (a INT, b STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector' = 'kafka','topic' = 'a','properties.bootstrap.servers' = 'localhost:9092','format' = 'json', 'scan.startup.mode'='earliest-offset');
CREATE TABLE o (a INT) WITH ('connector' = 'blackhole');
INSERT INTO o SELECT a FROM K WHERE a > 2;
