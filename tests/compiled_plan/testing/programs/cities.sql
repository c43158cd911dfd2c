CREATE TEMPORARY FUNCTION city AS 'cities.City' LANGUAGE PYTHON;
INSERT INTO places SELECT id, UPPER(city(customer)) FROM orders;
