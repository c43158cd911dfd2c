CREATE TABLE U (user_region STRING, pv BIGINT, uv BIGINT, PRIMARY KEY (user_region) NOT ENFORCED) WITH ('connector' = 'upsert-kafka','topic' = 'u','properties.bootstrap.servers' = '...','key.format' = 'json','value.format' = 'json');
CREATE TABLE o (s BIGINT, n BIGINT, PRIMARY KEY (s) NOT ENFORCED) WITH ('connector' = 'upsert-kafka','topic' = 'o','properties.bootstrap.servers' = '...','key.format' = 'json','value.format' = 'json','value.fields-include'='EXCEPT_KEY');
INSERT INTO o SELECT pv, SUM(uv) FROM U WHERE uv > 1 GROUP BY pv;
