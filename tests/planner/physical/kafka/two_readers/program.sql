CREATE TABLE K (a INT, b STRING, c STRING, ts TIMESTAMP(3), o BIGINT METADATA FROM 'offset', WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector' = 'kafka','topic' = 'a','properties.bootstrap.servers' = 'localhost:9092','format' = 'json', 'scan.startup.mode'='earliest-offset');
CREATE TABLE o (w TIMESTAMP(3), n BIGINT) WITH ('connector' = 'blackhole');
CREATE TABLE o2 (b STRING, n BIGINT) WITH ('connector' = 'blackhole');
EXECUTE STATEMENT SET BEGIN
INSERT INTO o SELECT window_start, COUNT(*) FROM TUMBLE(TABLE K, DESCRIPTOR(ts), INTERVAL '1' MINUTE) GROUP BY window_start, window_end;
INSERT INTO o2 SELECT b, o FROM K;
END;
