-- full outer join with a further condition
CREATE TABLE l (id INT, v INT) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/l.json',
  'format' = 'json'
);

CREATE TABLE r (id INT, w INT) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/r.json',
  'format' = 'json'
);

CREATE TABLE sink_out (lid INT, v INT, rid INT, w INT) WITH (
  'connector' = 'filesystem',
  'path' = '${out}/sink_out',
  'format' = 'debezium-json'
);

INSERT INTO sink_out SELECT l.id, v, r.id, w FROM l FULL JOIN r ON l.id = r.id AND l.v > r.w;
