"""Which callers are let in, and how: tokens, cookies, links, and the guard before every route."""
