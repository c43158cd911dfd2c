CREATE TEMPORARY FUNCTION factor AS 'cities.Factor' LANGUAGE PYTHON;
CREATE TABLE factors (factor DOUBLE) WITH ('connector' = 'print');
INSERT INTO factors SELECT factor(customer) FROM orders;
