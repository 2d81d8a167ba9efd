"""What stands under a table of compared systems: the null hypothesis, and what p and stars mean."""

from __future__ import annotations

from rubrica.comparison.records import METHODS, Comparison


def notes(made: Comparison) -> list[str]:
    """A sentence or two for each thing the table shows."""
    told = []
    resampling = made.evaluation.resampling
    if resampling.rounds:
        told.append(
            f"± half the width of the {resampling.confidence:g} % bootstrap interval over summaries"
        )
    if made.tests:
        told += _tests(made)
    lower = [name for name in made.measures if name in made.evaluation.lower_is_better]
    if lower:
        told.append(f"lower is better: {', '.join(lower)}")
    for name, count in made.evaluation.overall.undefined.items():
        if name in made.measures:
            told.append(f"{name}: undefined for {count:,} summaries, left out")
    return told


def _tests(made: Comparison) -> list[str]:
    plan = made.plan
    other = "another" if plan.all_pairs else f"the baseline {made.systems[0]}"
    told = [
        f"null hypothesis: a system and {other} are equally good; which of two summaries of an "
        "input is whose is chance"
    ]
    for method, rounds in plan.methods.items():
        if method == "ar":
            how = "how often exchanging summaries at random gives a difference as large"
        elif plan.p_rule == "two-sided":
            how = "how often inputs drawn anew move the difference by its own size"
        else:
            how = "how often inputs drawn anew give a larger difference, counted as sacrebleu does"
        told.append(f"p: {METHODS[method]}, {rounds:,} rounds; {how}")
    star = f"* p <= {plan.alpha:g}: the null hypothesis is rejected"
    if plan.correction != "none":
        pairs = len({(one.system, one.baseline) for one in made.tests})
        star += f"; p corrected ({plan.correction}) for the {pairs} pairs of each measure"
    told.append(star)
    told.append("no star: a difference was not shown, nor that there is none")
    return told
