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
-- Operators of the clock and of arrival.
CREATE TABLE so_far (id INT, s INT)
WITH ('connector' = 'filesystem', 'path' = '${folder}/so_far', 'format' = 'json');
CREATE TABLE lately (id INT, s INT)
WITH ('connector' = 'filesystem', 'path' = '${folder}/lately', 'format' = 'json');
CREATE TABLE by_price (id INT, s INT)
WITH ('connector' = 'filesystem', 'path' = '${folder}/by_price', 'format' = 'debezium-json');
CREATE TABLE in_order (id INT)
WITH ('connector' = 'filesystem', 'path' = '${folder}/in_order', 'format' = 'json');
EXECUTE STATEMENT SET BEGIN
INSERT INTO so_far SELECT id, SUM(price) OVER (PARTITION BY shop ORDER BY p) FROM orders;
INSERT INTO lately SELECT id, SUM(price) OVER (PARTITION BY shop ORDER BY p ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM orders;
INSERT INTO by_price SELECT id, SUM(price) OVER (PARTITION BY shop ORDER BY price) FROM orders;
INSERT INTO in_order SELECT id FROM orders ORDER BY p, id;
END;
