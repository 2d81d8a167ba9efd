"""What is done to texts before they are scored: sentences, words, stems, embeddings."""
