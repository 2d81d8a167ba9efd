"""Load and run models: encoders, classifiers, sequence-to-sequence models, and their caches."""
