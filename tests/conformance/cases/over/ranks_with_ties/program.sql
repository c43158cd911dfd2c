-- RANK, DENSE_RANK and ROW_NUMBER over event time with equal times, beside aggregates of the same window
CREATE TABLE scores (id INT, team STRING, points INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH (
  'connector' = 'filesystem', 'path' = '${data}/scores.json', 'format' = 'json');
CREATE TABLE ranks (id INT, rnk BIGINT, dense BIGINT, n BIGINT, total INT) WITH (
  'connector' = 'filesystem', 'path' = '${out}/ranks', 'format' = 'json');
CREATE TABLE overall (id INT, rnk BIGINT) WITH ('connector' = 'filesystem', 'path' = '${out}/overall', 'format' = 'json');
CREATE TABLE numbers (id INT, num BIGINT) WITH ('connector' = 'filesystem', 'path' = '${out}/numbers', 'format' = 'json');
EXECUTE STATEMENT SET BEGIN
INSERT INTO ranks SELECT id, RANK() OVER w, DENSE_RANK() OVER w, COUNT(*) OVER w, SUM(points) OVER w
  FROM scores WINDOW w AS (PARTITION BY team ORDER BY ts);
INSERT INTO overall SELECT id, RANK() OVER (ORDER BY ts) FROM scores;
INSERT INTO numbers SELECT id, ROW_NUMBER() OVER (PARTITION BY team ORDER BY ts) FROM scores;
END;
