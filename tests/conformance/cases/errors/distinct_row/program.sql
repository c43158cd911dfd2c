-- COUNT DISTINCT of two columns
CREATE TABLE s (a INT, b STRING) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/s.json',
  'format' = 'json'
);

CREATE TABLE sink_out (c BIGINT) WITH (
  'connector' = 'filesystem',
  'path' = '${out}/sink_out',
  'format' = 'debezium-json'
);

INSERT INTO sink_out SELECT COUNT(DISTINCT (a, b)) FROM s;
