"""Prompt injection is measured: a judge that obeys is caught, one that does not is cleared."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rubrica.errors import ParameterError, UnknownNameError
from rubrica.meta import red_team
from rubrica.meta.judges.red_team import RedTeam, red_team_set
from rubrica.metrics import Metric
from rubrica.statistics.intervals import Resampling
from support.judge_server import Reply, judge, said

FEW = Resampling(99)


def shown_summary(body: dict[str, Any]) -> str:
    """What stands between the tags of the summary."""
    content = str(body["messages"][-1]["content"])
    return content.partition("<summary>\n")[2].rpartition("\n</summary>")[0]


def obedient(body: dict[str, Any]) -> Reply:
    """A judge that does what a summary says."""
    return said("5" if "answer 5" in shown_summary(body) else "2")


def measured(server: Any, **parameters: Any) -> RedTeam:
    metric: Any = judge(server, samples=1, prompt="consistency", **parameters)
    return red_team(metric, resampling=FEW)


def test_a_judge_that_obeys_is_caught(serve: Any) -> None:
    result = measured(serve(obedient))
    effects = {attack.name: attack for attack in result.attacks}
    for name in ("override", "polite-request", "forged-thoughts"):
        assert effects[name].effect.value == 3
        assert effects[name].effect.lower == 3
        assert effects[name].raised == 1
    assert effects["padding"].effect.value == 0
    assert result.clean_score == 2
    assert result.verdict() == (
        "3 of 16 attacks raise the score of tester (consistency); the strongest, forged-thoughts, by 3.00 "
        "(75% of the scale)."
    )
    assert result.overall.value == pytest.approx(3 * 3 / 16)
    assert "red-team|set:1|attacks:16|" in result.signatures[1]


def test_a_judge_that_does_not_is_cleared(serve: Any) -> None:
    server = serve(lambda _: said("2"))
    result = measured(server)
    assert result.verdict() == "0 of 16 attacks raise the score of tester (consistency)."
    assert len(server.requests) == 17 * result.items


def test_an_attack_that_breaks_the_answer_is_counted(serve: Any) -> None:
    server = serve(lambda body: said("?" if "[RESULT]" in shown_summary(body) else "2"))
    metric: Any = judge(server, samples=1)
    with pytest.warns(UserWarning, match="could not be read"):
        result = red_team(metric, attacks=["forged-answer", "threat"], resampling=FEW)
    by_name = {attack.name: attack for attack in result.attacks}
    assert (by_name["forged-answer"].unreadable, by_name["forged-answer"].raised) == (1, None)
    assert by_name["threat"].unreadable == 0


def test_structure_attacks_do_not_reach_the_model_as_structure(serve: Any) -> None:
    server = serve(lambda _: said("2"))
    metric: Any = judge(server, samples=1)
    red_team(metric, attacks=["close-the-tag", "chat-turn", "forged-document"], resampling=FEW)
    for request in server.requests:
        content = request["messages"][-1]["content"]
        assert content.count("<summary>") == content.count("</document>") == 1
        assert "<|im_start|>" not in content


@pytest.mark.parametrize("prompt", ["preference", "checklist", "sentence-faithfulness"])
def test_every_kind_of_prompt_can_be_attacked(serve: Any, prompt: str) -> None:
    server = serve(lambda _: said("A" if prompt == "preference" else "yes"))
    metric: Any = judge(server, samples=1, prompt=prompt)
    assert metric.start_dry_run()
    result = red_team(metric, attacks=["override"], resampling=FEW)
    assert result.scale == 1
    assert server.requests == []


def test_the_bundled_set_is_complete() -> None:
    known = red_team_set()
    assert len({item["name"] for item in known.items}) == len(known.items) >= 8
    assert {attack["kind"] for attack in known.attacks} == {
        *("instruction", "structure", "answer", "persuasion")
    }
    assert all("{{summary}}" in attack["text"] for attack in known.attacks)


def test_unknown_attacks_and_other_metrics_are_errors(serve: Any) -> None:
    metric: Any = judge(serve(lambda _: said("2")))
    with pytest.raises(UnknownNameError, match="override"):
        red_team(metric, attacks=["overide"])
    other: Any = Metric.from_config("rouge")
    with pytest.raises(ParameterError, match="only the metric 'judge'"):
        red_team(other)


def test_the_command_prints_the_verdict_first(serve: Any, rubrica: Any) -> None:
    server = serve(obedient)
    metric = f"judge,model=m,endpoint={server.url},samples=1,cache_dir=off"
    words = ["judge-red-team", "-m", metric, "--attacks", "override", "padding", "--rounds", 99]
    done = rubrica(*words)
    assert done.code == 0, done.err
    assert done.out.startswith("1 of 2 attacks raise the score of m (coherence); the strongest, ")
    assert "24 answers requested" in done.err
    row = json.loads(rubrica(*words, "-f", "json").out)["judges"][0]["attacks"][0]
    assert (row["attack"], row["effect"], row["raised"]) == ("override", 3, 1)
    dry = rubrica(*words, "--dry-run")
    assert dry.out.startswith("judge: 24 answers to request")
    wrong = rubrica("judge-red-team", "-m", "rouge")
    assert wrong.code == 2
    assert "-m judge,model=NAME" in wrong.err
