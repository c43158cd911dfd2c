-- Windows that end before, at and after 1970-01-01 00:00; a watermark comes of times after it alone
CREATE TABLE clicks (id INT, page STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '1' SECOND) WITH (
  'connector' = 'filesystem', 'path' = '${data}/clicks.json', 'format' = 'json'
);
CREATE TABLE days (ws TIMESTAMP(3), we TIMESTAMP(3), page STRING, n BIGINT, s INT) WITH (
  'connector' = 'filesystem', 'path' = '${out}/days', 'format' = 'json'
);
CREATE TABLE half_days (ws TIMESTAMP(3), we TIMESTAMP(3), page STRING, n BIGINT, s INT) WITH (
  'connector' = 'filesystem', 'path' = '${out}/half_days', 'format' = 'json'
);
CREATE TABLE growing (ws TIMESTAMP(3), we TIMESTAMP(3), page STRING, n BIGINT, s INT) WITH (
  'connector' = 'filesystem', 'path' = '${out}/growing', 'format' = 'json'
);
CREATE TABLE sessions (ws TIMESTAMP(3), we TIMESTAMP(3), page STRING, n BIGINT, s INT) WITH (
  'connector' = 'filesystem', 'path' = '${out}/sessions', 'format' = 'json'
);
CREATE TABLE grouped (page STRING, ws TIMESTAMP(3), we TIMESTAMP(3), wt TIMESTAMP(3), n BIGINT) WITH (
  'connector' = 'filesystem', 'path' = '${out}/grouped', 'format' = 'json'
);
CREATE TABLE top (id INT, ws TIMESTAMP(3), place BIGINT) WITH (
  'connector' = 'filesystem', 'path' = '${out}/top', 'format' = 'json'
);
CREATE TABLE newest (id INT, ws TIMESTAMP(3)) WITH (
  'connector' = 'filesystem', 'path' = '${out}/newest', 'format' = 'json'
);
CREATE TABLE sums (id INT, ts TIMESTAMP(3), s INT) WITH (
  'connector' = 'filesystem', 'path' = '${out}/sums', 'format' = 'json'
);
CREATE TABLE firsts (id INT, page STRING) WITH (
  'connector' = 'filesystem', 'path' = '${out}/firsts', 'format' = 'json'
);
CREATE TABLE pairs (page STRING, a INT, b INT) WITH (
  'connector' = 'filesystem', 'path' = '${out}/pairs', 'format' = 'json'
);
EXECUTE STATEMENT SET BEGIN
INSERT INTO days SELECT window_start, window_end, page, COUNT(*), SUM(v) FROM TABLE(TUMBLE(TABLE clicks, DESCRIPTOR(ts), INTERVAL '1' DAY)) GROUP BY window_start, window_end, page;
INSERT INTO half_days SELECT window_start, window_end, page, COUNT(*), SUM(v) FROM TABLE(HOP(TABLE clicks, DESCRIPTOR(ts), INTERVAL '12' HOUR, INTERVAL '1' DAY)) GROUP BY window_start, window_end, page;
INSERT INTO growing SELECT window_start, window_end, page, COUNT(*), SUM(v) FROM TABLE(CUMULATE(TABLE clicks, DESCRIPTOR(ts), INTERVAL '6' HOUR, INTERVAL '1' DAY)) GROUP BY window_start, window_end, page;
INSERT INTO sessions SELECT window_start, window_end, page, COUNT(*), SUM(v) FROM TABLE(SESSION(TABLE clicks PARTITION BY page, DESCRIPTOR(ts), INTERVAL '1' HOUR)) GROUP BY window_start, window_end, page;
INSERT INTO grouped SELECT page, TUMBLE_START(ts, INTERVAL '1' DAY), TUMBLE_END(ts, INTERVAL '1' DAY), TUMBLE_ROWTIME(ts, INTERVAL '1' DAY), COUNT(*) FROM clicks GROUP BY page, TUMBLE(ts, INTERVAL '1' DAY);
INSERT INTO top SELECT id, window_start, place FROM (SELECT id, window_start, ROW_NUMBER() OVER (PARTITION BY window_start, window_end ORDER BY v DESC) AS place FROM TABLE(TUMBLE(TABLE clicks, DESCRIPTOR(ts), INTERVAL '1' DAY))) WHERE place <= 1;
INSERT INTO newest SELECT id, window_start FROM (SELECT id, window_start, ROW_NUMBER() OVER (PARTITION BY window_start, window_end ORDER BY ts DESC) AS place FROM TABLE(TUMBLE(TABLE clicks, DESCRIPTOR(ts), INTERVAL '1' DAY))) WHERE place = 1;
INSERT INTO sums SELECT id, ts, SUM(v) OVER (PARTITION BY page ORDER BY ts RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) FROM clicks;
INSERT INTO firsts SELECT id, page FROM (SELECT id, page, ROW_NUMBER() OVER (PARTITION BY page ORDER BY ts) AS place FROM clicks) WHERE place = 1;
INSERT INTO pairs SELECT page, a, b FROM clicks MATCH_RECOGNIZE (PARTITION BY page ORDER BY ts MEASURES A.id AS a, B.id AS b ONE ROW PER MATCH AFTER MATCH SKIP TO NEXT ROW PATTERN (A B) WITHIN INTERVAL '2' DAY DEFINE B AS B.v > A.v) AS found;
END;
