CREATE TABLE t (
  b BOOLEAN, i INT, l BIGINT, d DOUBLE, n DECIMAL(10, 2), s STRING, x BYTES,
  da DATE, ti TIME, ts TIMESTAMP(3), ltz TIMESTAMP_LTZ(3), ai ARRAY<INT>, sa ARRAY<STRING>, ra ARRAY<ROW<e INT>>,
  m MAP<STRING, INT>, r ROW<g INT, h STRING>, pt AS PROCTIME(),
  WATERMARK FOR ts AS ts
) WITH ('connector' = 'filesystem', 'path' = '/t', 'format' = 'json');
CREATE TABLE p (i INT NOT NULL, s STRING, CONSTRAINT e PRIMARY KEY (i) NOT ENFORCED) DISTRIBUTED BY (i) INTO 4 BUCKETS
  WITH ('connector' = 'filesystem', 'path' = '/p', 'format' = 'json');
CREATE TABLE o (i INT, s STRING) WITH ('connector' = 'blackhole');
CREATE TABLE q (i INT NOT NULL, s STRING, ts TIMESTAMP(3)) PARTITIONED BY (s) WITH ('connector' = 'filesystem', 'path' = '/q', 'format' = 'json');
CREATE TABLE w (i INT, s STRING) WITH ('connector' = 'filesystem', 'path' = '/w', 'format' = 'json');
CREATE TABLE u (i INT, s STRING, PRIMARY KEY (i) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', 'topic' = 'u',
  'properties.bootstrap.servers' = 'u', 'key.format' = 'json', 'value.format' = 'json');
CREATE TABLE md (i INT, s STRING, `file.size` BIGINT METADATA) WITH ('connector' = 'filesystem', 'path' = '/md', 'format' = 'json');
CREATE VIEW v AS SELECT i, s, ts FROM t;
CREATE TEMPORARY TABLE tt (i INT, s STRING) WITH ('connector' = 'blackhole');
CREATE TEMPORARY VIEW tv AS SELECT i, s FROM t;
CREATE FUNCTION f AS 'Upper' WITH ('signature' = '(STRING) -> STRING');
CREATE TEMPORARY FUNCTION tf AS 'Upper' WITH ('signature' = '(STRING) -> STRING');
CREATE TEMPORARY SYSTEM FUNCTION sf AS 'Upper' WITH ('signature' = '(STRING) -> STRING');
CREATE DATABASE db;
CREATE CATALOG cat WITH ('type' = 'generic_in_memory');
CREATE MODEL mo INPUT (i INT) OUTPUT (s STRING) WITH ('provider' = 'x', 'task' = 'y');
CREATE TEMPORARY MODEL tm INPUT (i INT) OUTPUT (s STRING) WITH ('provider' = 'x', 'task' = 'y');
CREATE MATERIALIZED TABLE mt WITH ('connector' = 'filesystem', 'path' = '/mt', 'format' = 'json') FRESHNESS = INTERVAL '1' MINUTE AS SELECT i, s, ts FROM t;
CREATE MATERIALIZED TABLE mp (CONSTRAINT e PRIMARY KEY (i) NOT ENFORCED, WATERMARK FOR ts AS ts)
  WITH ('connector' = 'blackhole') FRESHNESS = INTERVAL '1' MINUTE AS SELECT i, s, ts FROM q;
