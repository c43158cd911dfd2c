"""Fixtures of the API tests."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient

#: A program with two stateful operators.
PROGRAM = """
CREATE TABLE orders (id INT, customer STRING, amount DECIMAL(10, 2)) WITH ('connector' = 'datagen');
CREATE TABLE customers (name STRING, country STRING) WITH ('connector' = 'datagen');
CREATE TABLE totals (country STRING, total DECIMAL(38, 2), PRIMARY KEY (country) NOT ENFORCED)
  WITH ('connector' = 'print');
INSERT INTO totals SELECT country, SUM(amount) FROM orders JOIN customers ON customer = name GROUP BY country;
"""


@pytest.fixture
def program() -> str:
    """A program."""
    return PROGRAM


@pytest.fixture
def orders(client: TestClient) -> str:
    """A pipeline with one version."""
    assert client.post("pipelines", json={"name": "orders", "description": "by country"}).status_code == 201
    answer = client.post("pipelines/orders/versions", json={"program": PROGRAM, "comment": "first"})
    assert answer.status_code == 201, answer.text
    return "orders"
