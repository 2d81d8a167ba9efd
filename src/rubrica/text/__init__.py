"""Text processing before scoring: sentences, words, stems, embeddings."""
