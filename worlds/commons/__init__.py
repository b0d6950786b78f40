"""The grid commons (agents share apples that regrow) as a turn-based world: state, perception and
actions.
"""
