"""What users ask for, one small file each, each written once and offered by every face.

A capability is an async function of a `Context` and typed, described arguments that returns a dataclass. From that one
definition come the magic, the subcommand, the Python call, their help and their documentation.
"""
