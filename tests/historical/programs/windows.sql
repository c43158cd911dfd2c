-- Windows over event time that are open when the run stops, of one phase.
SET 'table.optimizer.agg-phase-strategy' = 'ONE_PHASE';
CREATE TABLE tumbled (shop STRING, ends TIMESTAMP(3), n BIGINT, s INT, shops BIGINT)
WITH ('connector' = 'filesystem', 'path' = '${folder}/tumbled', 'format' = 'json');
CREATE TABLE hopped (ends TIMESTAMP(3), s INT)
WITH ('connector' = 'filesystem', 'path' = '${folder}/hopped', 'format' = 'json');
CREATE TABLE cumulated (town STRING, ends TIMESTAMP(3), av DOUBLE)
WITH ('connector' = 'filesystem', 'path' = '${folder}/cumulated', 'format' = 'json');
CREATE TABLE sessions (shop STRING, starts TIMESTAMP(3), ends TIMESTAMP(3), n BIGINT)
WITH ('connector' = 'filesystem', 'path' = '${folder}/sessions', 'format' = 'json');
CREATE TABLE session_rows (id INT, starts TIMESTAMP(3), ends TIMESTAMP(3))
WITH ('connector' = 'filesystem', 'path' = '${folder}/session_rows', 'format' = 'json');
CREATE TABLE best (shop STRING, id INT, ends TIMESTAMP(3), r BIGINT)
WITH ('connector' = 'filesystem', 'path' = '${folder}/best', 'format' = 'json');
CREATE TABLE latest (shop STRING, id INT, ends TIMESTAMP(3))
WITH ('connector' = 'filesystem', 'path' = '${folder}/latest', 'format' = 'json');
CREATE TABLE met (id INT, carrier STRING, ends TIMESTAMP(3))
WITH ('connector' = 'filesystem', 'path' = '${folder}/met', 'format' = 'json');
CREATE TABLE grouped (shop STRING, ends TIMESTAMP(3), n BIGINT)
WITH ('connector' = 'filesystem', 'path' = '${folder}/grouped', 'format' = 'json');
EXECUTE STATEMENT SET BEGIN
INSERT INTO tumbled SELECT shop, window_end, COUNT(*), SUM(price), COUNT(DISTINCT town)
  FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(sold), INTERVAL '1' MINUTE)) GROUP BY shop, window_start, window_end;
INSERT INTO hopped SELECT window_end, SUM(price)
  FROM TABLE(HOP(TABLE orders, DESCRIPTOR(sold), INTERVAL '30' SECOND, INTERVAL '1' MINUTE))
  GROUP BY window_start, window_end;
INSERT INTO cumulated SELECT town, window_end, AVG(weight)
  FROM TABLE(CUMULATE(TABLE orders, DESCRIPTOR(sold), INTERVAL '30' SECOND, INTERVAL '1' MINUTE))
  GROUP BY town, window_start, window_end;
INSERT INTO sessions SELECT shop, window_start, window_end, COUNT(*)
  FROM TABLE(SESSION(TABLE orders PARTITION BY shop, DESCRIPTOR(sold), INTERVAL '30' SECOND))
  GROUP BY shop, window_start, window_end;
INSERT INTO session_rows SELECT id, window_start, window_end
  FROM TABLE(SESSION(TABLE orders PARTITION BY shop, DESCRIPTOR(sold), INTERVAL '30' SECOND));
INSERT INTO best SELECT shop, id, window_end, r FROM (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end ORDER BY price DESC) AS r
  FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(sold), INTERVAL '1' MINUTE))) WHERE r <= 2;
INSERT INTO latest SELECT shop, id, window_end FROM (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, shop ORDER BY sold DESC) AS r
  FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(sold), INTERVAL '1' MINUTE))) WHERE r <= 1;
INSERT INTO met SELECT o.id, s.carrier, o.window_end
  FROM (SELECT * FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(sold), INTERVAL '1' MINUTE))) AS o
  JOIN (SELECT * FROM TABLE(TUMBLE(TABLE shipments, DESCRIPTOR(sent), INTERVAL '1' MINUTE))) AS s
  ON o.id = s.order_id AND o.window_start = s.window_start AND o.window_end = s.window_end;
INSERT INTO grouped SELECT shop, TUMBLE_END(sold, INTERVAL '1' MINUTE), COUNT(*) FROM orders
  GROUP BY shop, TUMBLE(sold, INTERVAL '1' MINUTE);
END;
