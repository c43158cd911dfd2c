-- Calculation: conversion, filter, time of day as a category, and the number of a letter's occurrences in a text.
-- The published query counts with a user function; here it is the number of letters that REPLACE removes.
CREATE TABLE q14 (
  auction BIGINT,
  bidder BIGINT,
  price DECIMAL(23, 3),
  timeOfDay STRING,
  ts TIMESTAMP(3),
  extra STRING,
  letters INT
) WITH (
  'connector' = 'filesystem',
  'path' = 'out/nexmark/q14',
  'format' = 'json'
);

INSERT INTO q14
SELECT
  auction,
  bidder,
  0.908 * price,
  CASE
    WHEN HOUR(ts) BETWEEN 8 AND 18 THEN 'day'
    WHEN HOUR(ts) <= 6 OR HOUR(ts) >= 20 THEN 'night'
    ELSE 'other'
  END,
  ts,
  extra,
  CHAR_LENGTH(extra) - CHAR_LENGTH(REPLACE(extra, 'c', ''))
FROM bid
WHERE 0.908 * price > 1000000 AND 0.908 * price < 50000000;
