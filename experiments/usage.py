"""What a user asked for that cannot be done."""


class UsageError(Exception):
    """What was asked for cannot be done; the message is one line for the user."""
