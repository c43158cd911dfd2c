-- Sales by shop. The filter is wrong: the orders write 'cancelled' in lower case.
CREATE TABLE orders (shop STRING, status STRING, amount BIGINT) WITH (
  'connector' = 'filesystem', 'path' = 'data/orders', 'format' = 'json', 'source.monitor-interval' = '1 s');
CREATE TABLE sales (shop STRING, orders BIGINT, amount BIGINT, PRIMARY KEY (shop) NOT ENFORCED) WITH (
  'connector' = 'jdbc', 'url' = 'jdbc:sqlite:sales.db', 'table-name' = 'sales');
INSERT INTO sales
SELECT shop, COUNT(*), SUM(amount) FROM orders WHERE status <> 'CANCELLED' GROUP BY shop;
