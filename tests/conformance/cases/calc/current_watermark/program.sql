-- CURRENT_WATERMARK in projections and filters, before a join, of two tables, and in front of a window
CREATE TABLE readings (id INT, sensor STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '2' SECOND) WITH (
  'connector' = 'filesystem', 'path' = '${data}/readings.json', 'format' = 'json');
CREATE TABLE zoned (id INT, ts TIMESTAMP_LTZ(3), WATERMARK FOR ts AS ts - INTERVAL '2' SECOND) WITH (
  'connector' = 'filesystem', 'path' = '${data}/zoned.json', 'format' = 'json');
CREATE TABLE sensors (sensor STRING, room STRING) WITH (
  'connector' = 'filesystem', 'path' = '${data}/sensors.json', 'format' = 'json');
CREATE TABLE seen (id INT, mark TIMESTAMP(3), late BOOLEAN) WITH (
  'connector' = 'filesystem', 'path' = '${out}/seen', 'format' = 'json');
CREATE TABLE in_time (id INT) WITH ('connector' = 'filesystem', 'path' = '${out}/in_time', 'format' = 'json');
CREATE TABLE too_late (id INT, room STRING) WITH (
  'connector' = 'filesystem', 'path' = '${out}/too_late', 'format' = 'debezium-json');
CREATE TABLE windows (ends TIMESTAMP(3), n BIGINT) WITH (
  'connector' = 'filesystem', 'path' = '${out}/windows', 'format' = 'json');
CREATE TABLE instants (id INT, mark TIMESTAMP_LTZ(3)) WITH (
  'connector' = 'filesystem', 'path' = '${out}/instants', 'format' = 'json');
EXECUTE STATEMENT SET BEGIN
INSERT INTO seen SELECT id, CURRENT_WATERMARK(ts), ts <= CURRENT_WATERMARK(ts) FROM readings;
INSERT INTO in_time SELECT id FROM readings WHERE CURRENT_WATERMARK(ts) IS NULL OR ts > CURRENT_WATERMARK(ts);
INSERT INTO too_late SELECT r.id, s.room FROM readings AS r JOIN sensors AS s ON r.sensor = s.sensor
  WHERE r.ts <= CURRENT_WATERMARK(r.ts);
INSERT INTO windows SELECT window_end, COUNT(*) FROM TABLE(TUMBLE(TABLE readings, DESCRIPTOR(ts), INTERVAL '10' SECOND))
  WHERE CURRENT_WATERMARK(ts) IS NOT NULL GROUP BY window_start, window_end;
INSERT INTO instants SELECT id, CURRENT_WATERMARK(ts) FROM zoned WHERE CURRENT_WATERMARK(ts) < ts;
END;
