-- The tables of all queries of this folder. A program is this file followed by one of q0.sql to q22.sql.
-- One source for the three kinds of events, so that they keep their order and share one watermark.
CREATE TABLE events (
  kind INT,
  id BIGINT,
  name STRING,
  emailAddress STRING,
  creditCard STRING,
  city STRING,
  state STRING,
  itemName STRING,
  description STRING,
  initialBid BIGINT,
  reserve BIGINT,
  expires TIMESTAMP(3),
  seller BIGINT,
  category BIGINT,
  auction BIGINT,
  bidder BIGINT,
  price BIGINT,
  channel STRING,
  url STRING,
  ts TIMESTAMP(3),
  extra STRING,
  WATERMARK FOR ts AS ts - INTERVAL '4' SECOND
) WITH (
  'connector' = 'filesystem',
  'path' = 'data/nexmark/events',
  'format' = 'csv',
  'csv.null-literal' = ''
);

CREATE VIEW person AS
SELECT id, name, emailAddress, creditCard, city, state, ts, extra FROM events WHERE kind = 0;

CREATE VIEW auction AS
SELECT id, itemName, description, initialBid, reserve, ts, expires, seller, category, extra
FROM events WHERE kind = 1;

CREATE VIEW bid AS
SELECT auction, bidder, price, channel, url, ts, extra FROM events WHERE kind = 2;
