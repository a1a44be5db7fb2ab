"""The Jupyter face: translates requests, calls runs, translates back."""
