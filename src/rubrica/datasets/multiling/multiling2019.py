"""MultiLing 2019: a task of predicting human scores, with anonymous summaries."""

from __future__ import annotations

from collections import defaultdict

from rubrica.datasets.judgments import Judgments, write_parts
from rubrica.datasets.multiling.languages import MultiLingDataset, code_of
from rubrica.datasets.output import Output
from rubrica.datasets.raw.record import Record
from rubrica.datasets.raw.tree import Raw


@MultiLingDataset.register("multiling2019")
class MultiLing2019(MultiLingDataset):
    """MultiLing 2019 summary evaluation: judged summaries of unknown systems, with documents."""

    needs = ("the archive with v2/train/data.csv and the texts it names",)
    citation = (
        "Giannakopoulos. 2019. MultiLing 2019: Summary evaluation task. MultiLing Workshop at RANLP"
    )

    def write(self, raw: Raw, out: Output) -> None:
        """Write `LANGUAGE.*`; every summary has a system of its own, so only the global level has a meaning."""
        parts: dict[str, Judgments] = defaultdict(Judgments)
        table = raw.one("train/data.csv")
        below = table.path.removesuffix("data.csv")

        def texts(record: Record, names: str) -> list[tuple[str, list[str]]]:
            files = []
            for name in filter(None, (name.strip() for name in names.split(","))):
                if ".." in name.split("/"):
                    raise record.error(f"a path that leads out of the archive: {name!r}")
                file = raw.maybe(f"{below}{name}")
                if file is None:
                    raise record.error(f"no file {name!r}")
                files.append((name, file.lines()))
            return files

        def add_row(row: tuple[int, Record]) -> None:
            number, record = row
            cells = list(record.values.values())
            if len(cells) != 4:
                raise record.error(f"{len(cells)} columns, expected 4")
            summary, score, models, sources = map(str, cells)
            if not score.strip():
                out.leave_out("summaries that nobody judged")
                return
            topic, language = [*summary.split("/"), "", ""][:2]
            lines = texts(record, summary)[0][1]
            part = parts[code_of(language, table)]
            references = texts(record, models)
            part.add_summary(topic, str(number), lines or "", references=references)
            part.add_scores(
                topic, str(number), {"multiling2019_score": record.as_number(score, "score")}
            )
            if topic not in part.documents:
                documents = [{"name": n, "text": t} for n, t in texts(record, sources)]
                part.add_documents(topic, documents)

        raw.for_each(enumerate(table.records()), add_row)
        write_parts(parts, out)
