-- nested rows, arrays of rows and maps of arrays
CREATE TABLE s (id INT, r ROW<a INT, b ROW<c STRING, d ARRAY<INT>>>, ar ARRAY<ROW<x INT, y STRING>>, m MAP<STRING, ARRAY<INT>>) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/s.json',
  'format' = 'json'
);

CREATE TABLE sink_out (id INT, a INT, c STRING, d INT, x INT, y STRING, mk INT, n INT, card INT, rr ROW<c STRING, d ARRAY<INT>>) WITH (
  'connector' = 'filesystem',
  'path' = '${out}/sink_out',
  'format' = 'debezium-json'
);

INSERT INTO sink_out SELECT id, r.a, s.r.b.c, r.b.d[2], ar[1].x, ar[2].y, m['k'][1], CARDINALITY(m), CARDINALITY(ar), r.b FROM s;
