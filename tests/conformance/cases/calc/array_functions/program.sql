-- array and map functions
CREATE TABLE s (a ARRAY<INT>, b ARRAY<INT>, m MAP<STRING, INT>) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/s.json',
  'format' = 'json'
);

CREATE TABLE sink_out (c BOOLEAN, d ARRAY<INT>, e INT, f ARRAY<INT>, g ARRAY<INT>, h INT, i ARRAY<INT>, j ARRAY<INT>, k STRING, l ARRAY<STRING>, m ARRAY<INT>, n ARRAY<INT>, o ARRAY<INT>) WITH (
  'connector' = 'filesystem',
  'path' = '${out}/sink_out',
  'format' = 'debezium-json'
);

INSERT INTO sink_out SELECT ARRAY_CONTAINS(a, 1), ARRAY_DISTINCT(a), ARRAY_POSITION(a, 1), ARRAY_REMOVE(a, 1), ARRAY_REVERSE(a), ARRAY_MAX(a), ARRAY_CONCAT(a, b), ARRAY_UNION(a, b), ARRAY_JOIN(ARRAY['a', 'b'], '-'), MAP_KEYS(m), MAP_VALUES(m), ARRAY_SLICE(a, 1, 2), ARRAY_APPEND(a, 9) FROM s;
