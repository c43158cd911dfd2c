CREATE TABLE orders (id INT, customer STRING, price INT, ordered TIMESTAMP(3), WATERMARK FOR ordered AS ordered - INTERVAL '5' SECOND)
WITH ('connector' = 'kafka', 'topic' = 'o', 'properties.bootstrap.servers' = 'b:1', 'format' = 'json');
CREATE TABLE payments (order_id INT, amount INT, paid TIMESTAMP(3), WATERMARK FOR paid AS paid)
WITH ('connector' = 'kafka', 'topic' = 'p', 'properties.bootstrap.servers' = 'b:1', 'format' = 'json');
CREATE TABLE customers (name STRING, city STRING, PRIMARY KEY (name) NOT ENFORCED)
WITH ('connector' = 'jdbc', 'url' = 'jdbc:postgresql://h/d', 'table-name' = 'c');
CREATE TABLE rates (customer STRING, rate INT, since TIMESTAMP(3), WATERMARK FOR since AS since,
  PRIMARY KEY (customer) NOT ENFORCED)
WITH ('connector' = 'kafka', 'topic' = 'r', 'properties.bootstrap.servers' = 'b:1', 'format' = 'debezium-json');
CREATE TABLE sums (customer STRING, total INT, PRIMARY KEY (customer) NOT ENFORCED)
WITH ('connector' = 'upsert-kafka', 'topic' = 's', 'properties.bootstrap.servers' = 'b:1', 'key.format' = 'json',
  'value.format' = 'json');
CREATE TABLE paid (id INT, amount INT) WITH ('connector' = 'print');
CREATE TABLE places (id INT, city STRING) WITH ('connector' = 'print');
CREATE TABLE windows (started TIMESTAMP(3), n BIGINT) WITH ('connector' = 'print');
CREATE TABLE times (id INT, seen TIMESTAMP_LTZ(3)) WITH ('connector' = 'print');
