"""What Rubrica writes for annotation tools, checked by their own packages where they are installed."""

from __future__ import annotations

import http.cookiejar
import json
import re
import socket
import subprocess
import sys
import tomllib
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import pytest

from rubrica.data.instance import EvalInstance, Fields
from rubrica.serve.campaigns import create_study
from rubrica.study.exchange.campaign import make_campaign
from rubrica.study.exchange.formats import read_campaign, write_campaign
from rubrica.study.forms.base import Form
from rubrica.study.forms.definition import KINDS, read_form
from support.waiting import wait_until

FORMS = Path(__file__).parents[2] / "examples" / "study" / "forms"


def export(tool: str, kind: str, folder: Path) -> Form:
    form = read_form(FORMS / f"{kind}.toml")
    texts = {
        "summary": "It rains <b>here</b>. It stops.",
        "documents": ["D."],
        "references": ["R."],
    }
    summaries = [EvalInstance("d", system, "peer", Fields(texts)) for system in "abc"]
    write_campaign(tool, make_campaign(form, form.items(summaries, 0)), str(folder))
    return form


@pytest.mark.parametrize("kind", KINDS)
def test_label_studio_accepts_the_configuration_and_its_samples_are_read(
    kind: str, tmp_path: Path
) -> None:
    interface = pytest.importorskip(
        "label_studio_sdk.label_interface", reason="pip install label-studio-sdk"
    )
    export("label-studio", kind, tmp_path / "out")
    view = interface.LabelInterface((tmp_path / "out" / "config.xml").read_text("utf-8"))
    view.validate()
    tasks = json.loads((tmp_path / "out" / "tasks.json").read_text("utf-8"))
    assert all(view.validate_task({"data": task["data"]}) for task in tasks)
    controls = [control for control in view.controls if control.tag == "Choices"]
    if kind == "spans":
        return
    results = [
        {
            "id": control.name, "from_name": control.name, "to_name": control.to_name[0],
            "type": "choices", "value": {"choices": [next(iter(control.labels))]},
        }
        for control in controls
    ]  # fmt: skip
    tasks[0]["annotations"] = [{"id": 1, "completed_by": 7, "result": results, "lead_time": 3.5,
                                "created_at": "2026-11-18T08:00:00.123456Z"}]  # fmt: skip
    assert view.validate_annotation(tasks[0]["annotations"][0])
    (tmp_path / "export.json").write_text(json.dumps(tasks), "utf-8")
    campaign = read_campaign(
        "label-studio", str(tmp_path / "export.json"), str(tmp_path / "out" / "key.json")
    )
    create_study(str(tmp_path / "study.db"), campaign)
    [response] = campaign.responses
    assert response.annotator == "7"
    assert response.submitted is not None
    assert response.opened == pytest.approx(response.submitted - 3.5)
    assert len(response.answers) + len(response.remarks) == len(controls)


@pytest.fixture
def rg(monkeypatch: pytest.MonkeyPatch) -> Any:
    argilla = pytest.importorskip("argilla", reason="pip install argilla")
    # Settings ask for a server when they are created; no request is made.
    monkeypatch.setattr(argilla.Argilla, "_get_default", classmethod(lambda cls: MagicMock()))
    return argilla


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in ("direct", "spans")])
def test_argilla_reads_settings_and_records_and_its_records_are_read(
    kind: str, rg: Any, tmp_path: Path
) -> None:
    export("argilla", kind, tmp_path / "out")
    settings = rg.Settings.from_json(tmp_path / "out" / ".argilla" / "settings.json")
    settings.validate()
    content = json.loads((tmp_path / "out" / "records.json").read_text("utf-8"))
    labels = [question for question in settings.questions if hasattr(question, "labels")]
    records = [rg.Record.from_dict(record) for record in content]
    user = "8d3c1a52-6f0f-4a3e-9d0c-2f7f4b5b8f10"
    for question in labels:
        value = next(iter(question.labels))
        records[0].responses.add(rg.Response(question.name, value, user_id=user))
    path = tmp_path / "records.json"
    path.write_text(json.dumps([record.to_dict() for record in records]), "utf-8")
    campaign = read_campaign("argilla", str(path), str(tmp_path / "out" / "key.json"))
    assert [r.annotator for r in campaign.responses] == [user]
    assert len(campaign.responses[0].answers) + len(campaign.responses[0].remarks) == len(labels)


@pytest.mark.parametrize("kind", KINDS)
def test_potato_accepts_the_configuration_without_a_warning(kind: str, tmp_path: Path) -> None:
    validation = pytest.importorskip("potato.validate_cli", reason="pip install potato-annotation")
    export("potato", kind, tmp_path / "out")
    report = validation.validate_config_file(str(tmp_path / "out" / "config.yaml"))
    assert report.ok
    assert (report.errors, report.unknown_keys, report.other_warnings) == ([], [], [])


class Annotator:
    """Somebody who answers Potato's first task by the requests that its page sends."""

    def __init__(self, address: str) -> None:
        self.address = address
        cookies = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        self.opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), cookies)

    def ask(self, path: str, data: bytes | None = None, kind: str = "") -> str:
        headers = {"Content-Type": kind} if kind else {}
        request = urllib.request.Request(self.address + path, data, headers)
        with self.opener.open(request, timeout=60) as answer:
            return str(answer.read().decode())

    def first_task(self) -> str:
        self.ask("/auth", urllib.parse.urlencode({"email": "ann", "pass": ""}).encode())
        return self.ask("/annotate")

    def save(self, task: str, labels: dict[str, str], spans: list[dict[str, Any]]) -> str:
        body = {"instance_id": task, "annotations": labels, "span_annotations": spans}
        return self.ask("/updateinstance", json.dumps(body).encode(), "application/json")


def is_listening(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture
def potato(tmp_path: Path) -> Iterator[Any]:
    pytest.importorskip("potato", reason="pip install potato-annotation")
    servers = []

    def start(folder: Path) -> Annotator:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        words = ["start", "config.yaml", "-p", str(port), "--host", "127.0.0.1"]
        with open(tmp_path / "potato.log", "wb") as log:
            server = subprocess.Popen(
                [sys.executable, "-m", "potato", *words, "--require-password", "false"],
                cwd=folder, stdout=log, stderr=log,
            )  # fmt: skip
        servers.append(server)
        wait_until(lambda: is_listening(port), server)
        return Annotator(f"http://127.0.0.1:{port}")

    yield start
    for server in servers:
        server.terminate()
        server.wait()


@pytest.mark.parametrize("kind", ["likert", "spans", "text"])
def test_answers_saved_by_a_running_potato_are_read(kind: str, potato: Any, tmp_path: Path) -> None:
    form = export("potato", kind, tmp_path / "out")
    person = potato(tmp_path / "out")
    page = person.first_task()
    found = re.search(r'id="instance_id"[^>]* value="([^"]+)"', page)
    assert found
    task = found[1]
    assert re.search(r'<div class="text-[^>]*>It rains &lt;b&gt;here', page)
    labels, spans = {}, []
    if kind == "likert":
        chosen = dict(re.findall(r'schema="(\w+)"[^>]* type="radio"[^>]* value="(4[^"]*)"', page))
        assert list(chosen) == [dimension.name for dimension in form.dimensions]  # type: ignore[attr-defined]
        labels = {f"{name}:::{label}": label for name, label in chosen.items()}
    elif kind == "text":
        boxes = [
            question["name"]
            for question in tomllib.loads((FORMS / "text.toml").read_text("utf-8"))["questions"]
        ]
        assert all(f'schema="{name}"' in page for name in boxes)
        labels = {f"{name}:::text_box": "It is <fine>." for name in boxes}
    else:
        labels = {"esa:::slider": "73"}
        label = "grammar / major"
        assert f'"{label}"' in page.replace("&#34;", '"')
        span = {"schema": "task_errors", "name": label, "start": 3, "end": 8}
        spans = [span | {"title": label, "target_field": "summary", "value": True}]
    assert '"success"' in person.save(task, labels, spans)
    state = tmp_path / "out" / "annotation_output"
    wait_until((state / "ann" / "user_state.json").exists)
    [response] = read_campaign("potato", str(state), str(tmp_path / "out" / "key.json")).responses
    assert (response.task, response.annotator) == (task, "ann")
    expected = {
        "likert": {0: "4", 1: "4", 2: "4", 3: "4"},
        "text": dict(enumerate(["It is <fine>."] * len(labels))),
        "spans": {
            0: "73", 1: '{"start":3,"end":8,"category":"grammar","severity":"major"}'
        },
    }  # fmt: skip
    assert response.answers == expected[kind]
