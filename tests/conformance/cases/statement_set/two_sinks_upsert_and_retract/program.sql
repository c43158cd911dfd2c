-- One normalised source into an upsert and a retract sink
SET 'table.exec.source.cdc-events-duplicate' = 'true';

CREATE TABLE orders (id INT, customer STRING, amount INT, PRIMARY KEY (id) NOT ENFORCED) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/orders.json',
  'format' = 'canal-json'
);

CREATE TABLE keyed (id INT, customer STRING, amount INT, PRIMARY KEY (id) NOT ENFORCED) WITH (
  'connector' = 'filesystem',
  'path' = '${out}/keyed',
  'format' = 'debezium-json'
);

CREATE TABLE plain (customer STRING, amount INT) WITH (
  'connector' = 'filesystem',
  'path' = '${out}/plain',
  'format' = 'debezium-json'
);

EXECUTE STATEMENT SET BEGIN
INSERT INTO keyed SELECT * FROM orders;
INSERT INTO plain SELECT customer, amount FROM orders WHERE amount > 3;
END;
