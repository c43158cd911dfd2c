-- Totals per branch over a table's changelog (Debezium): updates and deletes are retracted from the totals.
CREATE TABLE accounts (
  account_id INT,
  branch STRING,
  balance DECIMAL(12, 2),
  PRIMARY KEY (account_id) NOT ENFORCED
) WITH (
  'connector' = 'filesystem',
  'path' = 'data/cdc_aggregate/accounts',
  'format' = 'debezium-json'
);

CREATE TABLE branch_totals (
  branch STRING,
  accounts BIGINT,
  total DECIMAL(38, 2),
  largest DECIMAL(12, 2),
  PRIMARY KEY (branch) NOT ENFORCED
) WITH (
  'connector' = 'filesystem',
  'path' = 'out/cdc_aggregate',
  'format' = 'debezium-json'
);

INSERT INTO branch_totals
SELECT branch, COUNT(*), SUM(balance), MAX(balance) FROM accounts GROUP BY branch;
