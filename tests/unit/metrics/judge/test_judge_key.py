"""The key of an endpoint goes where it belongs and nowhere else."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rubrica.errors import ParameterError
from rubrica.metrics import Metric
from support.judge_server import DOCUMENT, judge, refusal, said

SECRET = "sk-very-secret"


def test_the_key_comes_from_the_environment(serve: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    # With the line end that `export KEY=$(cat file)` drops and other ways keep.
    monkeypatch.setenv("RUBRICA_TEST_KEY", f"{SECRET}\n")
    server = serve(lambda _: said("3"))
    metric = judge(server, samples=1, api_key_variable="RUBRICA_TEST_KEY")
    metric.score("A summary.", DOCUMENT)
    assert server.keys == [f"Bearer {SECRET}"]
    assert SECRET not in str(metric.signature()) + json.dumps(metric.to_config())


def test_the_key_is_on_no_disk_and_in_no_output(
    serve: Any, rubrica: Any, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    input_file = tmp_path / "in.jsonl"
    row = {"instance_id": "d", "summarizer_type": "peer", "document": {"text": DOCUMENT}}
    rows = [{**row, "summarizer_id": name, "summary": {"text": name}} for name in ("a", "b")]
    input_file.write_text("\n".join(map(json.dumps, rows)))
    words: list[Any] = ["judge", "score", tmp_path / "out.jsonl", "--model", "m"]
    words += ["--endpoint", serve(lambda _: said("3")).url, "--cache-dir", tmp_path / "cache"]
    words += ["--store", tmp_path / "store", "--log-file", tmp_path / "log.txt"]
    done = rubrica(*words, "--input-files", input_file)
    assert done.code == 0, done.err
    assert "10 answers requested" in done.err
    failed = rubrica("judge", "score", tmp_path / "no.jsonl", "--model", "m", "--endpoint",
                     serve(lambda _: refusal(401, f"Incorrect key: {SECRET}")).url,
                     "--cache-dir", "off", "--input-files", input_file)  # fmt: skip
    assert failed.code == 3
    assert "Incorrect key: ***" in failed.err
    assert SECRET not in done.out + done.err + failed.out + failed.err
    kept = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(kept) > 12
    assert not [path for path in kept if SECRET.encode() in path.read_bytes()]


@pytest.mark.parametrize("wrong", ["se\ncret", "schlüssel", "a\0b"[:1] + "\x7f"])
def test_what_cannot_be_a_key_is_not_shown(
    serve: Any, monkeypatch: pytest.MonkeyPatch, wrong: str
) -> None:
    monkeypatch.setenv("RUBRICA_TEST_KEY", wrong)
    server = serve(lambda _: said("3"))
    with pytest.raises(ParameterError, match=r"\$RUBRICA_TEST_KEY cannot be a key") as error:
        judge(server, api_key_variable="RUBRICA_TEST_KEY").score("A summary.", DOCUMENT)
    assert wrong not in str(error.value)
    assert server.requests == []


def test_the_key_is_not_sent_in_the_clear(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RUBRICA_TEST_KEY", SECRET)
    config = {"type": "judge", "model": "m", "endpoint": "http://example.invalid/v1", "samples": 1}
    config |= {"api_key_variable": "RUBRICA_TEST_KEY", "cache_dir": "off", "retries": 0}
    with pytest.raises(ParameterError, match="plain http"):
        Metric.from_config(config).score("A summary.", DOCUMENT)


@pytest.mark.parametrize("part", ["user:{}@127.0.0.1/v1", "127.0.0.1/v1?key={}", "127.0.0.1/v1#{}"])
def test_a_key_in_the_address_is_refused_and_not_repeated(part: str) -> None:
    config = {"type": "judge", "model": "m", "endpoint": f"https://{part.format(SECRET)}"}
    with pytest.raises(ParameterError, match=r"put the key in \$OPENAI_API_KEY") as error:
        Metric.from_config(config)
    assert SECRET not in str(error.value)


def test_what_goes_to_this_machine_goes_through_no_proxy(
    serve: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    proxy, server = serve(lambda _: said("1")), serve(lambda _: said("3"))
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
        monkeypatch.setenv(name, proxy.url)
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    made = judge(server, samples=1).score("A summary.", DOCUMENT)
    assert made["judge-coherence"]["score"] == 3
    assert proxy.requests == []
