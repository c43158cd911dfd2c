-- GROUPING and GROUPING_ID with grouping sets
CREATE TABLE s (a STRING, b STRING, v INT) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/s.json',
  'format' = 'json'
);

CREATE TABLE sink_out (a STRING, b STRING, ga BIGINT, gb BIGINT, gid BIGINT, s INT) WITH (
  'connector' = 'filesystem',
  'path' = '${out}/sink_out',
  'format' = 'debezium-json'
);

INSERT INTO sink_out SELECT a, b, GROUPING(a), GROUPING(b), GROUPING_ID(a, b), SUM(v) FROM s GROUP BY GROUPING SETS ((a, b), (a), ());
