-- hints in the outer block and in a subquery
CREATE TABLE s (g STRING, v INT) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/s.json',
  'format' = 'json'
);

CREATE TABLE d (g STRING, nm STRING) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/d.json',
  'format' = 'json'
);

CREATE TABLE sink_out (nm STRING, s INT) WITH (
  'connector' = 'filesystem',
  'path' = '${out}/sink_out',
  'format' = 'debezium-json'
);

INSERT INTO sink_out SELECT /*+ STATE_TTL('q' = '3d', 'd' = '1d') */ nm, s FROM (SELECT /*+ STATE_TTL('s' = '2d') */ g, SUM(v) AS s FROM s GROUP BY g) q JOIN d ON q.g = d.g;
