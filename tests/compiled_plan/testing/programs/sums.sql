SET 'table.exec.state.ttl' = '1 h'; INSERT INTO sums SELECT customer, SUM(price) FROM orders GROUP BY customer;
