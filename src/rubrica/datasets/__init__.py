"""Data in: readers of evaluation instances, outside resources, and the data sets themselves."""

from __future__ import annotations

from rubrica.lazy import lazy_names

# name -> "module:class"; a data set's module is imported when it is first used.
ADDRESSES = {
    "aggrefact": "rubrica.datasets.aggrefact:AggreFact",
    "basse": "rubrica.datasets.basse:Basse",
    "bhandari2020": "rubrica.datasets.bhandari2020:Bhandari2020",
    "chaganty2018": "rubrica.datasets.chaganty2018:Chaganty2018",
    "cnndm": "rubrica.datasets.cnndm:CnnDailyMail",
    "duc2001": "rubrica.datasets.duc_tac.duc2001:Duc2001",
    "duc2002": "rubrica.datasets.duc_tac.duc2002:Duc2002",
    "duc2003": "rubrica.datasets.duc_tac.duc2003:Duc2003",
    "duc2004": "rubrica.datasets.duc_tac.duc2004:Duc2004",
    "duc2005": "rubrica.datasets.duc_tac.duc2005:Duc2005",
    "duc2006": "rubrica.datasets.duc_tac.duc2006:Duc2006",
    "duc2007": "rubrica.datasets.duc_tac.duc2007:Duc2007",
    "fabbri2020": "rubrica.datasets.fabbri2020:Fabbri2020",
    "frank": "rubrica.datasets.frank:Frank",
    "kryscinski2019": "rubrica.datasets.kryscinski2019:Kryscinski2019",
    "llm-aggrefact": "rubrica.datasets.llm_aggrefact:LlmAggreFact",
    "multiling2011": "rubrica.datasets.multiling.multiling2011:MultiLing2011",
    "multiling2013": "rubrica.datasets.multiling.multiling2013:MultiLing2013",
    "multiling2015": "rubrica.datasets.multiling.multiling2015:MultiLing2015",
    "multiling2017": "rubrica.datasets.multiling.multiling2017:MultiLing2017",
    "multiling2019": "rubrica.datasets.multiling.multiling2019:MultiLing2019",
    "multinews": "rubrica.datasets.multinews:MultiNews",
    "newsroom": "rubrica.datasets.newsroom:Newsroom",
    "nytimes": "rubrica.datasets.nytimes:NyTimes",
    "rose": "rubrica.datasets.rose:Rose",
    "seahorse": "rubrica.datasets.seahorse:Seahorse",
    "summeval-lists": "rubrica.datasets.summeval_lists:SummEvalLists",
    "tac2008": "rubrica.datasets.duc_tac.tac2008:Tac2008",
    "tac2009": "rubrica.datasets.duc_tac.tac2009:Tac2009",
    "tac2010": "rubrica.datasets.duc_tac.tac2010:Tac2010",
    "tac2011": "rubrica.datasets.duc_tac.tac2011:Tac2011",
    "tldr": "rubrica.datasets.tldr:Tldr",
    "tofueval": "rubrica.datasets.tofueval:TofuEval",
    "unisumeval": "rubrica.datasets.unisumeval:UniSumEval",
    "vasilyev2020": "rubrica.datasets.vasilyev2020:Vasilyev2020",
    "wcep": "rubrica.datasets.wcep:Wcep",
    "wmt": "rubrica.datasets.wmt:Wmt",
    "xsum": "rubrica.datasets.xsum:XSum",
}

_NAMES = {
    "Dataset": "rubrica.datasets.base:Dataset",
    "Prepared": "rubrica.datasets.base:Prepared",
    "instances_of": "rubrica.datasets.objects:instances_of",
    "setup_dataset": "rubrica.datasets.base:setup_dataset",
}

__all__ = sorted(_NAMES)  # noqa: PLE0605 (names are loaded on first use)
__getattr__, __dir__ = lazy_names(__name__, _NAMES)
