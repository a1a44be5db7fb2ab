"""Turn terminal work into notebooks: each cell is a command in a tmux pane."""

__version__ = "0.1.0"
