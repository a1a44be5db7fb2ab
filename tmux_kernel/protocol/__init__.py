"""tmux's control mode as bytes: pure functions and state machines, no input or output of their own."""
