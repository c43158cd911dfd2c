-- array in a row in an array
CREATE TABLE s (id INT, a ARRAY<ROW<n STRING, tags ARRAY<STRING>>>) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/s.json',
  'format' = 'json'
);

CREATE TABLE sink_out (id INT, n STRING, tag STRING) WITH (
  'connector' = 'filesystem',
  'path' = '${out}/sink_out',
  'format' = 'debezium-json'
);

INSERT INTO sink_out SELECT id, n, tag FROM s CROSS JOIN UNNEST(a) AS t(n, tags) CROSS JOIN UNNEST(tags) AS u(tag);
