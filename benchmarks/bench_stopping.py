"""False stops and labels saved of the stopping rule, in simulated campaigns and in replays of REALSumm.

    python benchmarks/bench_stopping.py [--realsumm FOLDER] [--campaigns 1000] [--inputs 100] [--alpha 0.05]

A false stop decides for a system that is not better. Simulated: pairs of systems that are equally good, and of one
that is better, with random order and with inputs drawn by value. REALSumm (FOLDER has scores_dicts/abs.pkl and
ext.pkl): human scores of all pairs of systems; the truth is the mean over the 100 documents, which are drawn with
replacement; and the same with the sign of every difference tossed, so that no system is better.
"""

from __future__ import annotations

import argparse
import itertools
import json
from pathlib import Path

import numpy as np

from rubrica.statistics.anytime import anytime_test
from rubrica.study.forms.adaptive import draw_order, stopping_rule, weights_of
from rubrica.study.pickles import read_score_dict

RESULT = Path(__file__).parent / "results" / "stopping.json"


def simulated(
    campaigns: int, inputs: int, alpha: float, effect: float, *, by_value: bool
) -> dict[str, float]:
    """Return shares of right and false stops, and the mean share of inputs that were not needed."""
    rng = np.random.default_rng([7, int(1000 * effect), by_value])
    right = false = saved = 0.0
    for number in range(campaigns):
        # Some inputs tell systems apart; their value is a noisy guess of it.
        weight = rng.gamma(1.0, 1.0, inputs)
        noise = rng.normal(0, 0.25, inputs) * np.minimum(weight, 3)
        differences = np.clip(noise - noise.mean() + effect * weight / weight.mean(), -1, 1)
        if effect == 0 and not by_value:
            # Equally good on average over all inputs of their kind, of which these are a sample.
            differences = np.clip(noise, -1, 1)
        elif effect == 0:
            differences -= differences.mean()
            differences /= max(1.0, np.abs(differences).max())
        names = [str(at) for at in range(inputs)]
        by_name = dict(zip(names, differences, strict=True))
        guess = weight * rng.lognormal(0, 0.5, inputs)
        weights = weights_of(dict(zip(names, guess, strict=True))) if by_value else None
        order = draw_order(weights or dict.fromkeys(names, 1.0), number)
        result = stopping_rule("A", "B", by_name, order=order, weights=weights, alpha=alpha)
        right += effect > 0 and result.better == "A"
        false += result.better == "B" if effect > 0 else result.better is not None
        saved += result.saved / inputs
    return {"right": right / campaigns, "false": false / campaigns, "saved": saved / campaigns}


def replayed(folder: Path, campaigns: int, alpha: float) -> dict[str, dict[str, float]]:
    """Return the same for pairs of REALSumm's systems."""
    rng = np.random.default_rng(11)
    pairs = []
    for split in ("abs", "ext"):
        rows = list(read_score_dict(str(folder / "scores_dicts" / f"{split}.pkl")))
        scores: dict[str, dict[str, float]] = {}
        for row in rows:
            scores.setdefault(row.summarizer_id, {})[row.instance_id] = row.values()[
                "litepyramid_recall"
            ]
        for first, second in itertools.combinations(sorted(scores), 2):
            shared = [name for name in scores[first] if name in scores[second]]
            pairs.append(np.array([scores[first][n] - scores[second][n] for n in shared]))
    results = {}
    for name in ("as they are", "signs tossed"):
        right = false = saved = 0.0
        for number in range(campaigns):
            pair = pairs[number % len(pairs)]
            truth = np.sign(pair.mean()) if name == "as they are" else 0
            drawn = pair[rng.integers(0, len(pair), len(pair))]
            if not truth:
                drawn = drawn * rng.choice([-1, 1], len(drawn))
            test = anytime_test(drawn, alpha=alpha)
            right += bool(truth) and test.decision == truth
            false += test.decision != 0 and test.decision != truth
            saved += 1 - (test.stopped or len(drawn)) / len(drawn)
        results[name] = {
            "right": right / campaigns,
            "false": false / campaigns,
            "saved": saved / campaigns,
        }
    return results


def main() -> None:
    """Print and write the shares."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--realsumm", type=Path)
    parser.add_argument("--campaigns", type=int, default=1000)
    parser.add_argument("--inputs", type=int, default=100)
    parser.add_argument("--alpha", type=float, default=0.05)
    arguments = parser.parse_args()
    numbers = arguments.campaigns, arguments.inputs, arguments.alpha
    results = {
        f"simulated, {'by value' if by_value else 'random order'}, effect {effect:g}": simulated(
            *numbers, effect, by_value=by_value
        )
        for effect in (0.0, 0.1, 0.2)
        for by_value in (False, True)
    }
    if arguments.realsumm:
        for name, shares in replayed(
            arguments.realsumm, arguments.campaigns, arguments.alpha
        ).items():
            results[f"REALSumm, {name}"] = shares
    for name, shares in results.items():
        print(f"{name:45}  " + "  ".join(f"{key} {value:.3f}" for key, value in shares.items()))
    RESULT.write_text(
        json.dumps(
            {"alpha": arguments.alpha, "campaigns": arguments.campaigns, **results}, indent=1
        )
        + "\n"
    )


if __name__ == "__main__":
    main()
