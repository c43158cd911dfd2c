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
-- Regular joins: with a unique key and without, outer, semi, anti, several in one operator.
SET 'table.optimizer.multi-join.enabled' = 'true';
CREATE TABLE sent_orders (id INT, price INT, carrier STRING)
WITH ('connector' = 'filesystem', 'path' = '${folder}/sent_orders', 'format' = 'debezium-json');
CREATE TABLE owned (id INT, amount INT, shop STRING)
WITH ('connector' = 'filesystem', 'path' = '${folder}/owned', 'format' = 'debezium-json');
CREATE TABLE unsent (id INT)
WITH ('connector' = 'filesystem', 'path' = '${folder}/unsent', 'format' = 'debezium-json');
CREATE TABLE sent_once (id INT, town STRING)
WITH ('connector' = 'filesystem', 'path' = '${folder}/sent_once', 'format' = 'debezium-json');
CREATE TABLE whole (id INT, carrier STRING, amount INT)
WITH ('connector' = 'filesystem', 'path' = '${folder}/whole', 'format' = 'debezium-json');
EXECUTE STATEMENT SET BEGIN
INSERT INTO sent_orders SELECT o.id, o.price, s.carrier FROM orders AS o JOIN shipments AS s ON o.id = s.order_id;
INSERT INTO owned SELECT a.id, a.amount, o.shop FROM accounts AS a FULL JOIN orders AS o ON a.id = o.id;
INSERT INTO unsent SELECT id FROM orders WHERE NOT EXISTS (SELECT * FROM shipments WHERE order_id = orders.id);
INSERT INTO sent_once SELECT id, town FROM orders WHERE id IN (SELECT order_id FROM shipments);
INSERT INTO whole SELECT o.id, s.carrier, a.amount FROM orders AS o
  LEFT JOIN shipments AS s ON o.id = s.order_id LEFT JOIN accounts AS a ON o.id = a.id;
END;
