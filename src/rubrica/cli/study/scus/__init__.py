"""`rubrica study scus STEP`: content units, from tasks for writing them to a filtered list."""
