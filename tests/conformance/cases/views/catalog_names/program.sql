-- full names, databases, USE
CREATE DATABASE db1;
USE db1;
CREATE TABLE s (id INT, v INT) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/s.json',
  'format' = 'json'
);

USE default_database;
CREATE TABLE sink_out (id INT, v INT) WITH (
  'connector' = 'filesystem',
  'path' = '${out}/sink_out',
  'format' = 'debezium-json'
);

INSERT INTO default_catalog.default_database.sink_out SELECT a.id, db1.s.v FROM db1.s, default_catalog.db1.s AS a;
