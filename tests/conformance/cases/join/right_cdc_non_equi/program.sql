-- right join, CDC on left, condition over both
CREATE TABLE l (id INT, v INT, PRIMARY KEY (id) NOT ENFORCED) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/l.json',
  'format' = 'debezium-json'
);

CREATE TABLE r (rid INT, id INT, w INT, PRIMARY KEY (rid) NOT ENFORCED) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/r.json',
  'format' = 'debezium-json'
);

CREATE TABLE sink_out (v INT, rid INT, w INT) WITH (
  'connector' = 'filesystem',
  'path' = '${out}/sink_out',
  'format' = 'debezium-json'
);

INSERT INTO sink_out SELECT v, rid, w FROM l RIGHT JOIN r ON l.id = r.id AND v BETWEEN w AND w + 100;
