"""All metrics: the table of their names, and their classes, imported when asked for."""

from __future__ import annotations

from rubrica.lazy import lazy_names

# name -> "module:class"; a metric's module is imported when the metric is first used.
ADDRESSES = {
    "alignscore": "rubrica.metrics.alignscore:AlignScore",
    "autosummeng": "rubrica.metrics.autosummeng:AutoSummENG",
    "bartscore": "rubrica.metrics.bartscore:BartScore",
    "bertscore": "rubrica.metrics.bertscore.metric:BertScore",
    "bewte-ud": "rubrica.metrics.bewte.metric:BEwTEUD",
    "blanc": "rubrica.metrics.blanc.metric:Blanc",
    "bleu": "rubrica.metrics.bleu:Bleu",
    "bleurt": "rubrica.metrics.bleurt:Bleurt",
    "chrf": "rubrica.metrics.chrf:ChrF",
    "cider": "rubrica.metrics.cider:Cider",
    "data-stats": "rubrica.metrics.data_stats:DataStats",
    "js": "rubrica.metrics.js:JensenShannon",
    "judge": "rubrica.metrics.judge.metric:Judge",
    "lite-pyramid": "rubrica.metrics.lite_pyramid:LitePyramid",
    "lite3pyramid": "rubrica.metrics.lite3pyramid:Lite3Pyramid",
    "meteor": "rubrica.metrics.meteor.metric:Meteor",
    "minicheck": "rubrica.metrics.minicheck:MiniCheck",
    "moverscore": "rubrica.metrics.moverscore:MoverScore",
    "pyramid-score": "rubrica.metrics.pyramid_score:PyramidScore",
    "pyreval-style": "rubrica.metrics.pyreval.metric:PyrEvalStyle",
    "python-rouge": "rubrica.metrics.rouge.python_rouge:PythonRouge",
    "qa-eval": "rubrica.metrics.qaeval:QAEval",
    "questeval": "rubrica.metrics.questeval:QuestEval",
    "rouge": "rubrica.metrics.rouge.metric:Rouge",
    "rouge-be": "rubrica.metrics.rouge.basic_elements:RougeBE",
    "rouge-we": "rubrica.metrics.rouge_we:RougeWE",
    "s+wms": "rubrica.metrics.movers:SWMS",
    "s3": "rubrica.metrics.s3:S3",
    "sent-bleu": "rubrica.metrics.bleu:SentBleu",
    "simetrix": "rubrica.metrics.simetrix:SIMetrix",
    "sms": "rubrica.metrics.movers:SMS",
    "sum-qe": "rubrica.metrics.sumqe:SumQE",
    "summac": "rubrica.metrics.summac:SummaC",
    "summaqa": "rubrica.metrics.summaqa:SummaQA",
    "supert": "rubrica.metrics.supert:Supert",
    "ter": "rubrica.metrics.ter:Ter",
    "unieval": "rubrica.metrics.unieval:UniEval",
    "wms": "rubrica.metrics.movers:WMS",
}

_BASES = {
    "CorpusMetric": "rubrica.metrics.corpus",
    "DocumentBasedMetric": "rubrica.metrics.kinds",
    "Metric": "rubrica.metrics.base",
    "PairwiseMetric": "rubrica.metrics.pairwise",
    "PyramidBasedMetric": "rubrica.metrics.kinds",
    "ReferenceBasedMetric": "rubrica.metrics.kinds",
    "SummaryOnlyMetric": "rubrica.metrics.kinds",
}
_CLASSES = {
    **{address.rpartition(":")[2]: address for address in ADDRESSES.values()},
    **{name: f"{module}:{name}" for name, module in _BASES.items()},
}

__all__ = sorted(_CLASSES)  # noqa: PLE0605 (names are loaded on first use)
__getattr__, __dir__ = lazy_names(__name__, _CLASSES)
