"""Metrics inside a real Trainer of transformers, and batch by batch in a loop of one's own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rubrica.errors import MismatchError
from rubrica.metrics import Rouge
from rubrica.scoring.accumulator import Accumulator
from support.tiny_models import checkpoint

pytestmark = pytest.mark.filterwarnings("ignore")
DOCUMENTS = ["the council met in the library", "snow fell in the north"]
SUMMARIES = ["the council met", "snow fell"]


def trainer(tmp_path: Path, **options: Any) -> Any:
    """Return a Trainer of a tiny BART, and its tokenizer."""
    transformers = pytest.importorskip("transformers")
    pytest.importorskip("accelerate")
    folder = checkpoint("bart")
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForSeq2SeqLM.from_pretrained(folder)
    rows = [
        {
            "input_ids": tokenizer(document).input_ids,
            "labels": tokenizer(summary).input_ids,
        }
        for document, summary in zip(DOCUMENTS, SUMMARIES, strict=True)
    ]
    arguments = transformers.Seq2SeqTrainingArguments(
        output_dir=str(tmp_path),
        per_device_eval_batch_size=1,
        predict_with_generate=True,
        generation_max_length=12,
        report_to=[],
        use_cpu=True,
    )
    collator = transformers.DataCollatorForSeq2Seq(tokenizer, model=model)
    build = options.pop("build", lambda _: {})
    trained = transformers.Seq2SeqTrainer(
        model=model, args=arguments, eval_dataset=rows, data_collator=collator, **build(tokenizer)
    )
    return trained, tokenizer


def test_a_trainer_reports_our_measures(tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    from rubrica.compat.transformers import compute_metrics

    def build(tokenizer: Any) -> dict[str, Any]:
        return {"compute_metrics": compute_metrics(tokenizer, ["rouge"], intervals=True)}

    trained, tokenizer = trainer(tmp_path, build=build)
    metrics = trained.evaluate()
    predictions = trained.predict(trained.eval_dataset).predictions
    texts = tokenizer.batch_decode(np.maximum(predictions, 0), skip_special_tokens=True)
    rows = Rouge().score_all([text.strip() for text in texts], [[s] for s in SUMMARIES])
    expected = np.mean([row["rouge-1"]["f1"] for row in rows])
    assert metrics["eval_rouge-1_f1"] == pytest.approx(expected, abs=0.01)
    assert metrics["eval_rouge-1_f1_lower"] <= metrics["eval_rouge-1_f1_upper"]


def test_a_callback_scores_generated_summaries(tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    from rubrica.compat.transformers import SummaryCallback

    trained, _ = trainer(tmp_path)
    callback = SummaryCallback(lambda model, documents: SUMMARIES, DOCUMENTS, SUMMARIES, ["chrf"])
    trained.add_callback(callback)
    metrics = trained.evaluate()
    assert metrics["eval_chrf"] == 100
    assert trained.state.log_history[-1]["eval_chrf"] == 100
    assert callback.evaluations[0].overall.num_summaries == 2


def test_padding_and_ignored_labels_are_left_out() -> None:
    pytest.importorskip("transformers")
    from rubrica.compat.transformers import compute_metrics

    class Words:
        pad_token_id = 0

        def batch_decode(self, ids: Any, skip_special_tokens: bool) -> list[str]:
            words = ["", "rain", "fell", "snow"]
            return [" ".join(words[i] for i in row if i) for row in ids]

    class Prediction:
        predictions = (np.array([[1, 2, 0], [3, 0, 0]]),)
        label_ids = np.array([[1, 2, -100], [1, -100, -100]])

    assert compute_metrics(Words(), measures=["rouge-1.f1"])(Prediction()) == {"rouge-1_f1": 50.0}


def test_batches_add_up_to_one_evaluation() -> None:
    scores = Accumulator(["rouge", "bleu", "cider"])
    for document, summary in zip(DOCUMENTS, SUMMARIES, strict=True):
        scores.update([summary], references=[[document, summary]], documents=[document])
    together = Accumulator(["rouge", "bleu", "cider"])
    contexts = [[d, s] for d, s in zip(DOCUMENTS, SUMMARIES, strict=True)]
    together.update(SUMMARIES, references=contexts, documents=DOCUMENTS)
    assert repr(scores.compute()) == repr(together.compute())
    scores.reset()
    assert len(scores) == 0


def test_lists_of_different_lengths_are_refused() -> None:
    with pytest.raises(MismatchError, match="2 summaries, but 1 references"):
        Accumulator().update(SUMMARIES, references=["one"])
