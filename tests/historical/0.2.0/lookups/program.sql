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
-- A table that is asked by key, of a database that `cases.database` makes.
CREATE TABLE carriers (name STRING, fee DECIMAL(10, 2)) WITH (
  'connector' = 'jdbc', 'url' = 'jdbc:derby:memory:historical', 'table-name' = 'carriers');
CREATE TABLE fees (order_id INT, fee DECIMAL(10, 2))
WITH ('connector' = 'filesystem', 'path' = '${folder}/fees', 'format' = 'json');
CREATE TABLE by_carrier (carrier STRING, n BIGINT)
WITH ('connector' = 'filesystem', 'path' = '${folder}/by_carrier', 'format' = 'debezium-json');
EXECUTE STATEMENT SET BEGIN
INSERT INTO fees SELECT s.order_id, c.fee FROM shipments AS s
  LEFT JOIN carriers FOR SYSTEM_TIME AS OF s.p AS c ON s.carrier = c.name;
INSERT INTO by_carrier SELECT carrier, COUNT(*) FROM shipments GROUP BY carrier;
END;
