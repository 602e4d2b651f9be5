"""The chapter on claimed, counted and attacked ε: the mechanism lab."""
