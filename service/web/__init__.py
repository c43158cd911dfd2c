"""The HTTP API: one router per resource, ETags, idempotency keys."""
