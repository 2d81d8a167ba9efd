"""Basic elements with transformations, from dependency parses in Universal Dependencies."""
