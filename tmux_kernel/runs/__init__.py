"""A command's life in a pane: its states, its output, the shell it runs in, and what outlives us."""
