"""The shell in a pane: its integration files, marks in its bytes, who waits for what."""
