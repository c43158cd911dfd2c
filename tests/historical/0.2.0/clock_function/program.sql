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
-- What only Flink's Table API gives: a temporal table function as of now, and windows of so many rows. The plan is edited, see
-- `cases.EDITS`.
CREATE TABLE converted (id INT, value_ INT)
WITH ('connector' = 'filesystem', 'path' = '${folder}/converted', 'format' = 'json');
CREATE TABLE threes (shop STRING, s INT)
WITH ('connector' = 'filesystem', 'path' = '${folder}/threes', 'format' = 'json');
EXECUTE STATEMENT SET BEGIN
INSERT INTO converted SELECT o.id, o.price * r.rate FROM orders AS o
  JOIN rates FOR SYSTEM_TIME AS OF o.sold AS r ON o.town = r.town;
INSERT INTO threes SELECT shop, SUM(price) FROM orders GROUP BY shop, TUMBLE(p, INTERVAL '1' MINUTE);
END;
