"""From records to tables and figures. Nothing is here yet (docs/architecture.md)."""
