"""File formats, read strictly: CSV, JSON, Parquet, XML, pickles and Zstandard, also from strangers."""
