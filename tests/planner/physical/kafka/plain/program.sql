CREATE TABLE K (a INT, b STRING, c DOUBLE) WITH ('connector' = 'kafka','topic' = 'a','properties.bootstrap.servers' = 'localhost:9092','format' = 'json');
CREATE TABLE o (b STRING) WITH ('connector' = 'kafka','topic' = 'b','properties.bootstrap.servers' = 'localhost:9092','format' = 'json');
INSERT INTO o SELECT b FROM K WHERE a > 1 LIMIT 10;
