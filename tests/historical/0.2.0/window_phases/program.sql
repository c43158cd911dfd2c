CREATE TABLE orders (
  id INT, shop STRING, town STRING, price INT, pieces BIGINT, weight DOUBLE, paid DECIMAL(10, 2), tags ARRAY<STRING>,
  sold TIMESTAMP(3), p AS PROCTIME(), WATERMARK FOR sold AS sold - INTERVAL '5' SECOND
) WITH ('connector' = 'filesystem', 'path' = '${folder}/orders', 'format' = 'json');
CREATE TABLE shipments (
  order_id INT, carrier STRING, sent TIMESTAMP(3), p AS PROCTIME(), WATERMARK FOR sent AS sent - INTERVAL '5' SECOND
) WITH ('connector' = 'filesystem', 'path' = '${folder}/shipments', 'format' = 'json');
CREATE TABLE accounts (id INT, town STRING, amount INT, PRIMARY KEY (id) NOT ENFORCED)
WITH ('connector' = 'filesystem', 'path' = '${folder}/accounts', 'format' = 'debezium-json');
CREATE TABLE rates (
  town STRING, rate INT, since TIMESTAMP(3), WATERMARK FOR since AS since, PRIMARY KEY (town) NOT ENFORCED
) WITH ('connector' = 'filesystem', 'path' = '${folder}/rates', 'format' = 'debezium-json');
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
