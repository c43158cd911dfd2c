-- The same sales with the average amount of an order, which the sums in the state yield. The table gets the column.
CREATE TABLE sales (
  country STRING,
  orders BIGINT,
  amount BIGINT,
  average DECIMAL(10, 2),
  PRIMARY KEY (country) NOT ENFORCED
) WITH (
  'connector' = 'delta',
  'path' = 'lake/sales',
  'mergeSchema' = 'true'
);

INSERT INTO sales
SELECT country, orders, amount, CAST(CAST(amount AS DECIMAL(20, 2)) / orders AS DECIMAL(10, 2))
FROM (
  SELECT c.country, COUNT(*) AS orders, SUM(CAST(o.amount AS BIGINT)) AS amount
  FROM orders AS o JOIN customers AS c ON o.customer = c.customer
  GROUP BY c.country);
