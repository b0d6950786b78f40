"""The grid commons as a turn-based world: state, perception and actions."""
