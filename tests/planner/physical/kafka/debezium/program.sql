CREATE TABLE topic_products (
  id BIGINT, name STRING, weight DECIMAL(10, 2), PRIMARY KEY (id) NOT ENFORCED
) WITH ('connector' = 'kafka','topic' = 'products_binlog','properties.bootstrap.servers' = 'localhost:9092','properties.group.id' = 'testGroup','scan.startup.mode'='earliest-offset','format' = 'debezium-json');
CREATE TABLE o WITH ('connector'='kafka', 'topic'='b','properties.bootstrap.servers' = 'localhost:9092','format' = 'debezium-json') LIKE topic_products (EXCLUDING CONSTRAINTS EXCLUDING OPTIONS);
INSERT INTO o SELECT * FROM topic_products;
