-- A sink that waits for watermarks to see whether rows are in conflict: one is, with a row from before the stop.
CREATE TABLE towns (town STRING, rate INT, since TIMESTAMP(3), PRIMARY KEY (rate) NOT ENFORCED)
WITH ('connector' = 'blackhole');
INSERT INTO towns SELECT town, rate, since FROM rates ON CONFLICT DO ERROR;
