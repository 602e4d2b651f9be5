"""One file a paper. Files here are found by listing this folder: nothing needs to be registered."""
