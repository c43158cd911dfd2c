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
-- The first row of each key, which Spark's own deduplication can hold, too.
SET 'table.exec.state.ttl' = '36500 d';
CREATE TABLE first_seen (shop STRING, id INT)
WITH ('connector' = 'filesystem', 'path' = '${folder}/first_seen', 'format' = 'json');
INSERT INTO first_seen SELECT shop, id FROM (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY shop ORDER BY p) AS r FROM orders) WHERE r = 1;
