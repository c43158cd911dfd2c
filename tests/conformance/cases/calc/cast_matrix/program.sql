-- casts to STRING of every type
CREATE TABLE s (a BOOLEAN, c SMALLINT, f FLOAT, g DOUBLE, h DECIMAL(20,5), l DATE, m TIME, n TIMESTAMP(0), o TIMESTAMP(3), p TIMESTAMP(6), q TIMESTAMP_LTZ(3), t ARRAY<INT>, u MAP<STRING, INT>, v ROW<x INT, y STRING>) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/s.json',
  'format' = 'json'
);

CREATE TABLE sink_out (a STRING, c STRING, f STRING, g STRING, h STRING, l STRING, m STRING, n STRING, o STRING, p STRING, q STRING, t STRING, u STRING, v STRING) WITH (
  'connector' = 'filesystem',
  'path' = '${out}/sink_out',
  'format' = 'debezium-json'
);

INSERT INTO sink_out SELECT CAST(a AS STRING), CAST(c AS STRING), CAST(f AS STRING), CAST(g AS STRING), CAST(h AS STRING), CAST(l AS STRING), CAST(m AS STRING), CAST(n AS STRING), CAST(o AS STRING), CAST(p AS STRING), CAST(q AS STRING), CAST(t AS STRING), CAST(u AS STRING), CAST(v AS STRING) FROM s;
