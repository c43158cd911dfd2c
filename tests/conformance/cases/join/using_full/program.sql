-- full join using: key is the coalesced one
CREATE TABLE l (id INT, v STRING) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/l.json',
  'format' = 'json'
);

CREATE TABLE r (id INT, w STRING) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/r.json',
  'format' = 'json'
);

CREATE TABLE sink_out (id INT, v STRING, w STRING) WITH (
  'connector' = 'filesystem',
  'path' = '${out}/sink_out',
  'format' = 'debezium-json'
);

INSERT INTO sink_out SELECT id, v, w FROM l FULL JOIN r USING (id);
