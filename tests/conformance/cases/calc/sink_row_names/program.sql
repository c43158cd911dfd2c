-- row with other field names and wider fields into the sink
CREATE TABLE s (r ROW<a INT, b STRING>) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/s.json',
  'format' = 'json'
);

CREATE TABLE sink_out (r ROW<x BIGINT, y STRING>) WITH (
  'connector' = 'filesystem',
  'path' = '${out}/sink_out',
  'format' = 'debezium-json'
);

INSERT INTO sink_out SELECT r FROM s;
