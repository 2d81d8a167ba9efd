"""What Rubrica writes for annotation tools, checked by their own packages where they are installed."""

from __future__ import annotations

import json
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
