-- A window aggregate of two phases, and a window over the windows below.
SET 'table.optimizer.agg-phase-strategy' = 'TWO_PHASE';
CREATE TABLE tumbled (shop STRING, ends TIMESTAMP(3), n BIGINT, s INT)
WITH ('connector' = 'filesystem', 'path' = '${folder}/tumbled', 'format' = 'json');
CREATE TABLE above (ends TIMESTAMP(3), n BIGINT)
WITH ('connector' = 'filesystem', 'path' = '${folder}/above', 'format' = 'json');
CREATE VIEW minutes AS SELECT shop, window_end AS ended, window_time AS rowtime, COUNT(*) AS n, SUM(price) AS s
  FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(sold), INTERVAL '1' MINUTE)) GROUP BY shop, window_start, window_end, window_time;
EXECUTE STATEMENT SET BEGIN
INSERT INTO tumbled SELECT shop, ended, n, s FROM minutes;
INSERT INTO above SELECT window_end, SUM(n)
  FROM TABLE(TUMBLE(TABLE minutes, DESCRIPTOR(rowtime), INTERVAL '2' MINUTE)) GROUP BY window_start, window_end;
END;
