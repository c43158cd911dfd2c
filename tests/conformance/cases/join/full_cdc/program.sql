-- full outer join of CDC tables
CREATE TABLE l (id INT, v STRING, PRIMARY KEY (id) NOT ENFORCED) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/l.json',
  'format' = 'debezium-json'
);

CREATE TABLE r (id INT, w STRING, PRIMARY KEY (id) NOT ENFORCED) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/r.json',
  'format' = 'debezium-json'
);

CREATE TABLE sink_out (lid INT, rid INT, v STRING, w STRING) WITH (
  'connector' = 'filesystem',
  'path' = '${out}/sink_out',
  'format' = 'debezium-json'
);

INSERT INTO sink_out SELECT l.id, r.id, v, w FROM l FULL OUTER JOIN r ON l.id = r.id;
