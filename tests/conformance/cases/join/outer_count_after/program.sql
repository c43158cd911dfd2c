-- aggregate over a left join counts matches
CREATE TABLE l (id INT, g STRING, PRIMARY KEY (id) NOT ENFORCED) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/l.json',
  'format' = 'debezium-json'
);

CREATE TABLE r (rid INT, id INT, PRIMARY KEY (rid) NOT ENFORCED) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/r.json',
  'format' = 'debezium-json'
);

CREATE TABLE sink_out (g STRING, n BIGINT, m BIGINT, PRIMARY KEY (g) NOT ENFORCED) WITH (
  'connector' = 'filesystem',
  'path' = '${out}/sink_out',
  'format' = 'debezium-json'
);

INSERT INTO sink_out SELECT g, COUNT(*), COUNT(r.rid) FROM l LEFT JOIN r ON l.id = r.id GROUP BY g;
