CREATE TABLE s (i BIGINT, k STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'datagen');
CREATE TABLE o (k STRING, a BIGINT, b BIGINT) WITH ('connector' = 'blackhole');
INSERT INTO o SELECT k, COUNT(*) OVER (PARTITION BY k ORDER BY ts), SUM(i) OVER (ORDER BY ts) FROM s;
