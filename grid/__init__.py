"""The headless world, the same games as arrays. Nothing is here yet (docs/architecture.md)."""
