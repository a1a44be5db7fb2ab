"""The command-line face: words in, a capability called, text or JSON out."""
