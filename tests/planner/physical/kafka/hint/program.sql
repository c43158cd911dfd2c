CREATE TABLE K (a INT, b STRING) WITH ('connector' = 'kafka','topic' = 'a','properties.bootstrap.servers' = 'localhost:9092','format' = 'json');
CREATE TABLE o (b STRING) WITH ('connector' = 'blackhole');
INSERT INTO o SELECT b FROM K /*+ OPTIONS('scan.startup.mode'='earliest-offset', 'scan.bounded.mode'='latest-offset') */;
