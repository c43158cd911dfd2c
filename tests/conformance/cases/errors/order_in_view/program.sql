-- ORDER BY without LIMIT in a view
CREATE TABLE a (g INT, v INT) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/a.json',
  'format' = 'json'
);

CREATE TEMPORARY VIEW w AS SELECT g, v FROM a ORDER BY v;
CREATE TABLE sink_out (g INT, v INT) WITH (
  'connector' = 'filesystem',
  'path' = '${out}/sink_out',
  'format' = 'debezium-json'
);

INSERT INTO sink_out SELECT * FROM w;
