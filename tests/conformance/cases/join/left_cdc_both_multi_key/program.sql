-- left join of two CDC tables on two keys, one null
CREATE TABLE l (id INT, k1 INT, k2 STRING, v STRING, PRIMARY KEY (id) NOT ENFORCED) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/l.json',
  'format' = 'debezium-json'
);

CREATE TABLE r (rid INT, k1 INT, k2 STRING, w INT, PRIMARY KEY (rid) NOT ENFORCED) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/r.json',
  'format' = 'debezium-json'
);

CREATE TABLE sink_out (id INT, v STRING, rid INT, w INT) WITH (
  'connector' = 'filesystem',
  'path' = '${out}/sink_out',
  'format' = 'debezium-json'
);

INSERT INTO sink_out SELECT l.id, l.v, r.rid, r.w FROM l LEFT JOIN r ON l.k1 = r.k1 AND l.k2 = r.k2;
