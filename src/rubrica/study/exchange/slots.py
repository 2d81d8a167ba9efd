"""The questions and texts of a campaign as tools define them: once for all tasks, under fixed names."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from rubrica.errors import DataError
from rubrica.study.exchange.campaign import Campaign, Response
from rubrica.study.forms.base import Item, Option, Question
from rubrica.study.forms.spans import Spans

ERRORS, SEVERITY, SUMMARY = "task_errors", "task_severity", "summary"
# Tools without a severity for each label get labels `category / severity`.
SEPARATOR = " / "
_REMARKS = {
    "flag": Question(
        "task_flag",
        "Is something wrong with this task?",
        options=(Option("1", "Yes"), Option("", "No")),
        optional=True,
    ),
    "comment": Question("task_comment", "Comment", control="text", optional=True),
}


@dataclass(frozen=True, slots=True)
class Slot:
    """A question under its name in a tool.

    `field` names the text of each task that the question is about, "" if all tasks have the same
    question. `remark` is the name of a remark, which is no answer.
    """

    name: str
    question: Question
    place: int = 0
    field: str = ""
    required: bool = True
    remark: str = ""

    @property
    def title(self) -> str:
        """The question in words."""
        return self.name.replace("_", " ").capitalize() if self.field else self.question.label

    def answer(self, response: Response) -> str | None:
        """Return the stored answer of a response."""
        return (
            response.remarks.get(self.remark) if self.remark else response.answers.get(self.place)
        )

    def label_of(self, value: str) -> str:
        """Return the label of a stored answer."""
        labels = {option.value: option.label for option in self.question.options}
        return labels.get(value, value)

    def value_of(self, label: str) -> str:
        """Return the stored answer of a label; an unknown label stays, for the form to refuse."""
        values = {option.label: option.value for option in self.question.options}
        return values.get(label, label)


@dataclass(frozen=True, slots=True)
class Layout:
    """What a tool shows: texts to read (field and heading) and questions, for every task the same."""

    campaign: Campaign
    slots: tuple[Slot, ...]
    headings: tuple[tuple[str, str], ...]

    @property
    def fields(self) -> list[tuple[str, str]]:
        """All texts of a task, by field, with their titles."""
        summary = [(SUMMARY, "Summary")] if self.spans else []
        return [*self.headings, *summary, *((s.field, s.title) for s in self.slots if s.field)]

    @property
    def spans(self) -> Spans | None:
        """The form, if errors are marked."""
        return self.campaign.form if isinstance(self.campaign.form, Spans) else None

    @property
    def error_labels(self) -> list[str]:
        """The categories and severities of errors as one list of labels."""
        form = self.spans
        return (
            [f"{c}{SEPARATOR}{s}" for c in form.categories for s in form.severities] if form else []
        )

    def texts(self, item: Item) -> dict[str, str]:
        """Return the texts of a task by field; those that it does not need are ""."""
        texts = dict.fromkeys((name for name, _ in self.fields), "")
        fields = {heading: name for name, heading in self.headings}
        texts |= {fields[heading]: text for heading, text in self.campaign.form.panels(item)}
        if self.spans:
            texts[SUMMARY] = item.shown
        questions = self.campaign.form.questions(item)
        for slot in self.slots:
            if slot.field and slot.place < len(questions):
                texts[slot.field] = questions[slot.place].label
        return texts


def layout_of(campaign: Campaign) -> Layout:
    """Return the layout that every task of the campaign fits into; remarks come last."""
    form, items = campaign.form, campaign.tasks.values()
    if not items:
        raise DataError("there are no tasks to exchange")
    if form.kind == "write":
        raise DataError(
            "other tools cannot show tasks to write units; use rubrica study serve --write"
        )
    questions = max((form.questions(item) for item in items), key=len)
    fewest = min(len(form.questions(item)) for item in items)
    prefix = form.pooled.removesuffix("s")
    slots = []
    for place, question in enumerate(questions):
        name = f"{prefix}_{place + 1}" if prefix else question.name
        own_text = f"{name}_text" if prefix and not form.shuffles else ""
        slots.append(
            Slot(name, question, place, own_text, not question.optional and place < fewest)
        )
    if form.comments:
        slots += [Slot(q.name, q, required=False, remark=name) for name, q in _REMARKS.items()]
    names_of_texts = _merged([heading for heading, _ in form.panels(item)] for item in items)
    headings = tuple((f"text_{number}", name) for number, name in enumerate(names_of_texts, 1))
    layout = Layout(campaign, tuple(slots), headings)
    names = [slot.name for slot in slots] + [name for name, _ in layout.fields]
    names += [ERRORS, SEVERITY] if layout.spans else []
    for name in names:
        if names.count(name) > 1:
            raise DataError(f"a question is called {name!r}, which is reserved; rename it")
    return layout


def _merged(lists: Iterable[list[str]]) -> list[str]:
    """Return all headings in an order that keeps that of every task; one reference or two, say."""
    merged: list[str] = []
    for headings in dict.fromkeys(map(tuple, lists)):
        place = 0
        for heading in headings:
            if heading not in merged:
                merged.insert(place, heading)
            place = merged.index(heading) + 1
    return merged
