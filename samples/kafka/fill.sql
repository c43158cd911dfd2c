-- Write a day's files to the topics.
CREATE TABLE new_orders (order_id INT, customer INT, item STRING, amount INT) WITH (
  'connector' = 'filesystem',
  'path' = 'data/orders',
  'format' = 'json'
);

CREATE TABLE new_customers (customer INT, country STRING) WITH (
  'connector' = 'filesystem',
  'path' = 'data/customers',
  'format' = 'json'
);

EXECUTE STATEMENT SET BEGIN
INSERT INTO orders SELECT * FROM new_orders;
INSERT INTO customers SELECT customer, country FROM new_customers ON CONFLICT DO DEDUPLICATE;
END;
