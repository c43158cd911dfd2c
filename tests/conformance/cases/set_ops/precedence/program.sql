-- INTERSECT binds tighter than UNION
CREATE TABLE a (id INT) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/a.json',
  'format' = 'json'
);

CREATE TABLE b (id INT) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/b.json',
  'format' = 'json'
);

CREATE TABLE c (id INT) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/c.json',
  'format' = 'json'
);

CREATE TABLE sink_out (id INT) WITH (
  'connector' = 'filesystem',
  'path' = '${out}/sink_out',
  'format' = 'debezium-json'
);

INSERT INTO sink_out SELECT id FROM a UNION SELECT id FROM b INTERSECT SELECT id FROM c;
