-- FIRST_VALUE and LAST_VALUE of collections and bytes
CREATE TABLE s (a ARRAY<INT>, b MAP<STRING, INT>, c BYTES, d ROW<x INT>, e DATE) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/s.json',
  'format' = 'json'
);

CREATE TABLE sink_out (a ARRAY<INT>, b MAP<STRING, INT>, c BYTES, d ROW<x INT>, e DATE) WITH (
  'connector' = 'filesystem',
  'path' = '${out}/sink_out',
  'format' = 'debezium-json'
);

INSERT INTO sink_out SELECT FIRST_VALUE(a), LAST_VALUE(b), FIRST_VALUE(c), LAST_VALUE(d), LAST_VALUE(e) FROM s;
