-- comparison with all
CREATE TABLE o (id INT, a INT) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/o.json',
  'format' = 'json'
);

CREATE TABLE p (a INT) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/p.json',
  'format' = 'json'
);

CREATE TABLE sink_out (id INT) WITH (
  'connector' = 'filesystem',
  'path' = '${out}/sink_out',
  'format' = 'debezium-json'
);

INSERT INTO sink_out SELECT id FROM o WHERE a > ALL (SELECT a FROM p);
