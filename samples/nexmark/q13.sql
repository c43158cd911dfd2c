-- Bounded side input join: bids joined with rows of a table.
-- Flink has no lookup in a table of files, so it is a temporal join at the bid's event time.
CREATE TABLE side_input (
  id BIGINT,
  label STRING,
  since TIMESTAMP(3),
  WATERMARK FOR since AS since,
  PRIMARY KEY (id) NOT ENFORCED
) WITH (
  'connector' = 'filesystem',
  'path' = 'data/nexmark/side_input.csv',
  'format' = 'csv'
);

CREATE TABLE q13 (
  auction BIGINT,
  bidder BIGINT,
  price BIGINT,
  ts TIMESTAMP(3),
  label STRING
) WITH (
  'connector' = 'filesystem',
  'path' = 'out/nexmark/q13',
  'format' = 'json'
);

CREATE TEMPORARY VIEW keyed AS
SELECT *, MOD(auction, 10000) AS side_key FROM bid;

INSERT INTO q13
SELECT b.auction, b.bidder, b.price, b.ts, s.label
FROM keyed AS b
JOIN side_input FOR SYSTEM_TIME AS OF b.ts AS s ON b.side_key = s.id;
