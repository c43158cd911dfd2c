CREATE TABLE K (
  ts TIMESTAMP_LTZ(3) METADATA FROM 'timestamp', k_version INT, k_user_id BIGINT, k_item_id BIGINT, version INT, behavior STRING
) WITH ('connector' = 'kafka','topic' = 'user_behavior','properties.bootstrap.servers' = 'localhost:9092','key.format' = 'json','key.json.ignore-parse-errors' = 'true','key.fields-prefix' = 'k_','key.fields' = 'k_user_id;k_version','value.format' = 'json','value.json.fail-on-missing-field' = 'false','value.fields-include' = 'EXCEPT_KEY');
CREATE TABLE o (a INT, b BIGINT, c INT) WITH ('connector' = 'kafka','topic' = 'x','properties.bootstrap.servers' = 'localhost:9092','key.format'='json','key.fields'='b','value.format'='json','value.fields-include'='EXCEPT_KEY','sink.partitioner'='default');
INSERT INTO o SELECT k_version, k_user_id, version FROM K;
