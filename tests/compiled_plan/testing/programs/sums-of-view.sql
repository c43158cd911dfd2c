SET 'table.exec.state.ttl' = '2 h';
CREATE TEMPORARY VIEW prices AS SELECT customer, price FROM orders;
INSERT INTO sums SELECT customer, SUM(price) FROM prices GROUP BY customer;
