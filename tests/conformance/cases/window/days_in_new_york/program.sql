-- Windows on the clock of a zone that is put forward and back, with rows that come late
SET 'table.local-time-zone' = 'America/New_York';
CREATE TABLE events (id INT, page STRING, ms BIGINT, ts AS TO_TIMESTAMP_LTZ(ms, 3), WATERMARK FOR ts AS ts - INTERVAL '20' MINUTE) WITH (
  'connector' = 'filesystem', 'path' = '${data}/events.json', 'format' = 'json'
);
CREATE TABLE days (ws TIMESTAMP(3), we TIMESTAMP(3), page STRING, n BIGINT, s INT) WITH (
  'connector' = 'filesystem', 'path' = '${out}/days', 'format' = 'json'
);
CREATE TABLE hours (ws TIMESTAMP(3), we TIMESTAMP(3), page STRING, n BIGINT, s INT) WITH (
  'connector' = 'filesystem', 'path' = '${out}/hours', 'format' = 'json'
);
CREATE TABLE hops (ws TIMESTAMP(3), we TIMESTAMP(3), page STRING, n BIGINT, s INT) WITH (
  'connector' = 'filesystem', 'path' = '${out}/hops', 'format' = 'json'
);
CREATE TABLE growing (ws TIMESTAMP(3), we TIMESTAMP(3), page STRING, n BIGINT, s INT) WITH (
  'connector' = 'filesystem', 'path' = '${out}/growing', 'format' = 'json'
);
CREATE TABLE sessions (ws TIMESTAMP(3), we TIMESTAMP(3), page STRING, n BIGINT, s INT) WITH (
  'connector' = 'filesystem', 'path' = '${out}/sessions', 'format' = 'json'
);
EXECUTE STATEMENT SET BEGIN
INSERT INTO days SELECT window_start, window_end, page, COUNT(*), SUM(id) FROM TABLE(TUMBLE(TABLE events, DESCRIPTOR(ts), INTERVAL '1' DAY)) GROUP BY window_start, window_end, page;
INSERT INTO hours SELECT window_start, window_end, page, COUNT(*), SUM(id) FROM TABLE(TUMBLE(TABLE events, DESCRIPTOR(ts), INTERVAL '1' HOUR)) GROUP BY window_start, window_end, page;
INSERT INTO hops SELECT window_start, window_end, page, COUNT(*), SUM(id) FROM TABLE(HOP(TABLE events, DESCRIPTOR(ts), INTERVAL '6' HOUR, INTERVAL '1' DAY)) GROUP BY window_start, window_end, page;
INSERT INTO growing SELECT window_start, window_end, page, COUNT(*), SUM(id) FROM TABLE(CUMULATE(TABLE events, DESCRIPTOR(ts), INTERVAL '6' HOUR, INTERVAL '1' DAY)) GROUP BY window_start, window_end, page;
INSERT INTO sessions SELECT window_start, window_end, page, COUNT(*), SUM(id) FROM TABLE(SESSION(TABLE events PARTITION BY page, DESCRIPTOR(ts), INTERVAL '50' MINUTE)) GROUP BY window_start, window_end, page;
END;
