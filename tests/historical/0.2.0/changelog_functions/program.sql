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
-- Changes as rows with a code, and back, in front of state.
CREATE TABLE changes_seen (op STRING, n BIGINT)
WITH ('connector' = 'filesystem', 'path' = '${folder}/changes_seen', 'format' = 'debezium-json');
CREATE TABLE towns (town STRING, amount BIGINT)
WITH ('connector' = 'filesystem', 'path' = '${folder}/towns', 'format' = 'debezium-json');
CREATE VIEW coded AS SELECT * FROM TO_CHANGELOG(TABLE accounts);
EXECUTE STATEMENT SET BEGIN
INSERT INTO changes_seen SELECT op, COUNT(*) FROM coded GROUP BY op;
INSERT INTO towns SELECT town, SUM(amount) FROM FROM_CHANGELOG(TABLE coded) GROUP BY town;
END;
