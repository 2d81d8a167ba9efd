"""Data in: readers of evaluation instances, outside resources, and the data sets themselves."""

from __future__ import annotations

from rubrica.lazy import lazy_names

# name -> "module:class"; a data set's module is imported when it is first used.
ADDRESSES = {
    "aggrefact": "rubrica.datasets.benchmarks.aggrefact:AggreFact",
    "basse": "rubrica.datasets.benchmarks.basse:Basse",
    "bhandari2020": "rubrica.datasets.benchmarks.bhandari2020:Bhandari2020",
    "chaganty2018": "rubrica.datasets.benchmarks.chaganty2018:Chaganty2018",
    "cnndm": "rubrica.datasets.benchmarks.cnndm:CnnDailyMail",
    "duc2001": "rubrica.datasets.duc_tac.duc2001:Duc2001",
    "duc2002": "rubrica.datasets.duc_tac.duc2002:Duc2002",
    "duc2003": "rubrica.datasets.duc_tac.duc2003:Duc2003",
    "duc2004": "rubrica.datasets.duc_tac.duc2004:Duc2004",
    "duc2005": "rubrica.datasets.duc_tac.questions:Duc2005",
    "duc2006": "rubrica.datasets.duc_tac.questions:Duc2006",
    "duc2007": "rubrica.datasets.duc_tac.questions:Duc2007",
    "fabbri2020": "rubrica.datasets.benchmarks.fabbri2020:Fabbri2020",
    "frank": "rubrica.datasets.benchmarks.frank:Frank",
    "kryscinski2019": "rubrica.datasets.benchmarks.kryscinski2019:Kryscinski2019",
    "llm-aggrefact": "rubrica.datasets.benchmarks.llm_aggrefact:LlmAggreFact",
    "multiling2011": "rubrica.datasets.multiling.multiling2011:MultiLing2011",
    "multiling2013": "rubrica.datasets.multiling.multiling2013:MultiLing2013",
    "multiling2015": "rubrica.datasets.multiling.multiling2015:MultiLing2015",
    "multiling2017": "rubrica.datasets.multiling.multiling2017:MultiLing2017",
    "multiling2019": "rubrica.datasets.multiling.multiling2019:MultiLing2019",
    "multinews": "rubrica.datasets.benchmarks.multinews:MultiNews",
    "newsroom": "rubrica.datasets.benchmarks.newsroom:Newsroom",
    "nytimes": "rubrica.datasets.benchmarks.nytimes:NyTimes",
    "rose": "rubrica.datasets.benchmarks.rose:Rose",
    "seahorse": "rubrica.datasets.benchmarks.seahorse:Seahorse",
    "summeval-lists": "rubrica.datasets.benchmarks.summeval_lists:SummEvalLists",
    "tac2008": "rubrica.datasets.duc_tac.update:Tac2008",
    "tac2009": "rubrica.datasets.duc_tac.update:Tac2009",
    "tac2010": "rubrica.datasets.duc_tac.update:Tac2010",
    "tac2011": "rubrica.datasets.duc_tac.tac2011:Tac2011",
    "tldr": "rubrica.datasets.benchmarks.tldr:Tldr",
    "tofueval": "rubrica.datasets.benchmarks.tofueval:TofuEval",
    "unisumeval": "rubrica.datasets.benchmarks.unisumeval:UniSumEval",
    "vasilyev2020": "rubrica.datasets.benchmarks.vasilyev2020:Vasilyev2020",
    "wcep": "rubrica.datasets.benchmarks.wcep:Wcep",
    "wmt": "rubrica.datasets.benchmarks.wmt:Wmt",
    "xsum": "rubrica.datasets.benchmarks.xsum:XSum",
}

_NAMES = {
    "Dataset": "rubrica.datasets.base:Dataset",
    "Prepared": "rubrica.datasets.base:Prepared",
    "instances_of": "rubrica.datasets.objects:instances_of",
    "setup_dataset": "rubrica.datasets.base:setup_dataset",
}

__all__ = sorted(_NAMES)  # noqa: PLE0605 (names are loaded on first use)
__getattr__, __dir__ = lazy_names(__name__, _NAMES)
