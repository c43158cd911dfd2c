"""The HTTP API: routers, one a resource, and what they share: ETags, keys of requests that come again."""
