-- The tables of the sample, for `compile-plan --init`. The demo inserts the addresses of its servers.
CREATE TABLE orders (
  order_id INT,
  customer INT,
  item STRING,
  amount INT
) WITH (
  'connector' = 'kafka',
  'topic' = 'orders',
  'properties.bootstrap.servers' = 'localhost:9092',
  'scan.startup.mode' = 'earliest-offset',
  'format' = 'json'
);

-- The newest country of each customer: a message takes the place of the one before with its key.
CREATE TABLE customers (
  customer INT,
  country STRING,
  PRIMARY KEY (customer) NOT ENFORCED
) WITH (
  'connector' = 'upsert-kafka',
  'topic' = 'customers',
  'properties.bootstrap.servers' = 'localhost:9092',
  'key.format' = 'json',
  'value.format' = 'json'
);

CREATE TABLE sales_by_country (
  country STRING,
  orders BIGINT,
  amount BIGINT,
  PRIMARY KEY (country) NOT ENFORCED
) WITH (
  'connector' = 'jdbc',
  'url' = 'jdbc:postgresql://localhost:5432/postgres?user=postgres',
  'table-name' = 'sales_by_country'
);
