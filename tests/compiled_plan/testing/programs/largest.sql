SET 'table.exec.state.ttl' = '1 h'; INSERT INTO sums SELECT customer, MAX(price) FROM orders GROUP BY customer;
