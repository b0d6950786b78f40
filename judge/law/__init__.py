"""A constitution that agents can amend by vote, and the penalties that code imposes."""
