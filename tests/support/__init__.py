"""What several test modules share: sample data, small models, servers, reference programs."""
