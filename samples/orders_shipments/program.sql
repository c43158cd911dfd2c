-- Orders joined with the shipment of their line order, each side with a TTL of its own in the plan.
-- Source: "A Full Example" of Flink's page "Streaming Concepts".
CREATE TABLE Orders (
  order_id INT,
  line_order_id INT
) WITH (
  'connector' = 'filesystem',
  'path' = 'data/orders_shipments/orders',
  'format' = 'json'
);

CREATE TABLE LineOrders (
  line_order_id INT,
  ship_mode STRING
) WITH (
  'connector' = 'filesystem',
  'path' = 'data/orders_shipments/line_orders',
  'format' = 'json'
);

CREATE TABLE OrdersShipInfo (
  order_id INT,
  line_order_id INT,
  ship_mode STRING
) WITH (
  'connector' = 'filesystem',
  'path' = 'out/orders_shipments',
  'format' = 'json'
);

INSERT INTO OrdersShipInfo
SELECT a.order_id, a.line_order_id, b.ship_mode
FROM Orders a JOIN LineOrders b ON a.line_order_id = b.line_order_id;
