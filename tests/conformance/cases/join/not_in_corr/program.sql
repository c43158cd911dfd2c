-- NOT IN with correlated predicate and nulls
CREATE TABLE o (id INT, g INT, v INT) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/o.json',
  'format' = 'json'
);

CREATE TABLE b (g INT, v INT) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/b.json',
  'format' = 'json'
);

CREATE TABLE sink_out (id INT) WITH (
  'connector' = 'filesystem',
  'path' = '${out}/sink_out',
  'format' = 'debezium-json'
);

INSERT INTO sink_out SELECT id FROM o WHERE v NOT IN (SELECT v FROM b WHERE b.g = o.g);
