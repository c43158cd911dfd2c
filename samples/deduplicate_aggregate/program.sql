-- Click events arrive more than once: keep the first of each event, then count and sum a page.
CREATE TABLE clicks (
  event_id BIGINT,
  page STRING,
  millis INT,
  arrived AS PROCTIME()
) WITH (
  'connector' = 'filesystem',
  'path' = 'data/deduplicate_aggregate/clicks',
  'format' = 'json'
);

CREATE TABLE page_figures (
  page STRING,
  clicks BIGINT,
  millis BIGINT,
  slowest INT,
  PRIMARY KEY (page) NOT ENFORCED
) WITH (
  'connector' = 'filesystem',
  'path' = 'out/deduplicate_aggregate',
  'format' = 'debezium-json'
);

CREATE TEMPORARY VIEW events AS
SELECT event_id, page, millis FROM (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY event_id ORDER BY arrived ASC) AS n FROM clicks
) WHERE n = 1;

INSERT INTO page_figures
SELECT page, COUNT(*), SUM(CAST(millis AS BIGINT)), MAX(millis) FROM events GROUP BY page;
