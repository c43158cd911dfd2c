-- every type through JSON
CREATE TABLE s (a BOOLEAN, b TINYINT, c SMALLINT, d INT, e BIGINT, f FLOAT, g DOUBLE, h DECIMAL(20,5), i CHAR(3), j VARCHAR(5), k STRING, l DATE, m TIME, n TIMESTAMP(0), o TIMESTAMP(3), p TIMESTAMP(6), q TIMESTAMP_LTZ(3), r BYTES, t ARRAY<INT>, u MAP<STRING, INT>, v ROW<x INT, y STRING>) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/s.json',
  'format' = 'json'
);

CREATE TABLE sink_out (a BOOLEAN, b TINYINT, c SMALLINT, d INT, e BIGINT, f FLOAT, g DOUBLE, h DECIMAL(20,5), i CHAR(3), j VARCHAR(5), k STRING, l DATE, m TIME, n TIMESTAMP(0), o TIMESTAMP(3), p TIMESTAMP(6), q TIMESTAMP_LTZ(3), r BYTES, t ARRAY<INT>, u MAP<STRING, INT>, v ROW<x INT, y STRING>) WITH (
  'connector' = 'filesystem',
  'path' = '${out}/sink_out',
  'format' = 'debezium-json'
);

INSERT INTO sink_out SELECT * FROM s;
