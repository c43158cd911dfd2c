-- hint in a three-way join
CREATE TABLE a (id INT, x INT) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/a.json',
  'format' = 'json'
);

CREATE TABLE b (id INT, y INT) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/b.json',
  'format' = 'json'
);

CREATE TABLE c (id INT, z INT) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/c.json',
  'format' = 'json'
);

CREATE TABLE sink_out (id INT, x INT, y INT, z INT) WITH (
  'connector' = 'filesystem',
  'path' = '${out}/sink_out',
  'format' = 'debezium-json'
);

INSERT INTO sink_out SELECT /*+ STATE_TTL('a' = '1d', 'b' = '2 h', 'c' = '30 min') */ a.id, x, y, z FROM a LEFT JOIN b ON a.id = b.id JOIN c ON a.id = c.id;
