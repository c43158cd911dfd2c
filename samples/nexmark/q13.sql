-- Bounded side input join: each bid with a row of a table.
-- A table of files cannot be looked up in Flink, so it is joined as of the bid's event time.
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
