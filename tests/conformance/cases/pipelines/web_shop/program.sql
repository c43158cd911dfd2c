-- The report of a web shop: currencies by version, arrays and maps unnested, windows with totals, late payments,
-- customers of both sides, price drops, and a condition whose key stands in every branch of an OR
CREATE TABLE orders (
  order_id VARCHAR, user_id BIGINT, price DECIMAL(10, 2), currency VARCHAR(3), category VARCHAR,
  items ARRAY<ROW<sku VARCHAR, qty INT>>, attrs MAP<VARCHAR, VARCHAR>, order_time TIMESTAMP(3),
  WATERMARK FOR order_time AS order_time - INTERVAL '15' SECOND
) WITH ('connector' = 'filesystem', 'path' = '${data}/orders.json', 'format' = 'json');
CREATE TABLE rates (
  currency VARCHAR, rate DECIMAL(10, 4), update_time TIMESTAMP(3), WATERMARK FOR update_time AS update_time,
  PRIMARY KEY (currency) NOT ENFORCED
) WITH ('connector' = 'filesystem', 'path' = '${data}/rates.json', 'format' = 'debezium-json');
CREATE TABLE users (id BIGINT, name VARCHAR, city VARCHAR, PRIMARY KEY (id) NOT ENFORCED)
WITH ('connector' = 'filesystem', 'path' = '${data}/users.json', 'format' = 'debezium-json');
CREATE TABLE payments (
  order_id VARCHAR, amount DOUBLE PRECISION, pay_time TIMESTAMP(3), WATERMARK FOR pay_time AS pay_time - INTERVAL '5' SECOND
) WITH ('connector' = 'filesystem', 'path' = '${data}/payments.json', 'format' = 'json');

CREATE TABLE converted (order_id VARCHAR, amount DECIMAL(20, 6)) WITH (
  'connector' = 'filesystem', 'path' = '${out}/converted', 'format' = 'json');
CREATE TABLE parts (order_id VARCHAR, name VARCHAR, sku VARCHAR, qty INT) WITH (
  'connector' = 'filesystem', 'path' = '${out}/parts', 'format' = 'debezium-json');
CREATE TABLE marks (order_id VARCHAR, k VARCHAR, v VARCHAR) WITH (
  'connector' = 'filesystem', 'path' = '${out}/marks', 'format' = 'json');
CREATE TABLE totals (ends TIMESTAMP(3), category VARCHAR, total DECIMAL(38, 2), uv BIGINT) WITH (
  'connector' = 'filesystem', 'path' = '${out}/totals', 'format' = 'json');
CREATE TABLE paid (order_id VARCHAR, amount DOUBLE) WITH (
  'connector' = 'filesystem', 'path' = '${out}/paid', 'format' = 'json');
CREATE TABLE customers (id BIGINT, n BIGINT, name VARCHAR) WITH (
  'connector' = 'filesystem', 'path' = '${out}/customers', 'format' = 'debezium-json');
CREATE TABLE drops (user_id BIGINT, high DECIMAL(10, 2), low DECIMAL(10, 2)) WITH (
  'connector' = 'filesystem', 'path' = '${out}/drops', 'format' = 'json');
CREATE TABLE chosen (order_id VARCHAR, city VARCHAR) WITH (
  'connector' = 'filesystem', 'path' = '${out}/chosen', 'format' = 'debezium-json');
CREATE TABLE best (category VARCHAR, order_id VARCHAR, rn BIGINT) WITH (
  'connector' = 'filesystem', 'path' = '${out}/best', 'format' = 'debezium-json');

CREATE VIEW per_user AS SELECT user_id, COUNT(*) AS n FROM orders GROUP BY user_id;

EXECUTE STATEMENT SET BEGIN
INSERT INTO converted SELECT o.order_id, o.price * r.rate
  FROM orders AS o LEFT JOIN rates FOR SYSTEM_TIME AS OF o.order_time AS r ON o.currency = r.currency;
INSERT INTO parts SELECT o.order_id, u.name, t.sku, t.qty
  FROM orders AS o JOIN users AS u ON o.user_id = u.id CROSS JOIN UNNEST(o.items) AS t (sku, qty);
INSERT INTO marks SELECT order_id, k, v FROM orders CROSS JOIN UNNEST(attrs) AS t (k, v) WHERE k <> 'color';
INSERT INTO totals SELECT window_end, category, SUM(price), COUNT(DISTINCT user_id)
  FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(order_time), INTERVAL '10' MINUTES))
  GROUP BY window_start, window_end, GROUPING SETS ((category), ());
INSERT INTO paid SELECT o.order_id, p.amount FROM orders o LEFT JOIN payments p ON o.order_id = p.order_id
  AND p.pay_time BETWEEN o.order_time AND o.order_time + INTERVAL '1' HOUR;
INSERT INTO customers SELECT COALESCE(a.user_id, b.id), a.n, b.name FROM per_user a FULL OUTER JOIN users b ON a.user_id = b.id;
INSERT INTO drops SELECT * FROM (SELECT user_id, price, order_time FROM orders) MATCH_RECOGNIZE (
  PARTITION BY user_id ORDER BY order_time MEASURES A.price AS high, LAST(B.price) AS low
  ONE ROW PER MATCH AFTER MATCH SKIP PAST LAST ROW PATTERN (A B+ C)
  DEFINE B AS B.price < A.price, C AS C.price >= A.price);
INSERT INTO chosen SELECT o.order_id, u.city FROM orders o, users u
  WHERE (o.user_id = u.id AND o.category = 'books' AND u.city = 'Rome') OR (u.id = o.user_id AND o.price > 50 AND u.name LIKE 'A%');
INSERT INTO best SELECT category, order_id, rn FROM (
  SELECT category, order_id, ROW_NUMBER() OVER (PARTITION BY category ORDER BY price DESC, order_id) AS rn FROM orders
) WHERE rn <= 2;
END;
