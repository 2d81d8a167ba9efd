"""Mistakes that type checkers must find: each line with a comment `# wrong`."""

import rubrica
from rubrica import DatasetReader
from rubrica.metrics import Bleu, Rouge

Rouge(max_ngrams=3)  # wrong
Rouge(max_ngram="2")  # wrong
Rouge().scores("a", ["b"])  # wrong
Bleu().score_al(["a"], [["b"]])  # wrong
rubrica.evaluate([], ["rouge"], worker=2)  # wrong
rubrica.evaluate([], ["rouge"])[0].system  # wrong
rubrica.scoer([], ["rouge"])  # wrong
DatasetReader.from_config("text").read_all("x.txt")  # wrong
Rouge().score("a", ["b"]).uppercase()  # wrong
