"""Everything that talks to tmux: the connection, pane feeds, targets. The only place that starts a tmux process."""
