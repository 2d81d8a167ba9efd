"""All metrics: the table of their names, and their classes, imported on first use."""

from __future__ import annotations

from rubrica.lazy import lazy_names

# name -> "module:class"; a metric's module is imported when the metric is first used.
ADDRESSES = {
    "alignscore": "rubrica.metrics.entailment.alignscore:AlignScore",
    "apes": "rubrica.metrics.qa.apes:APES",
    "autosummeng": "rubrica.metrics.autosummeng:AutoSummENG",
    "bartscore": "rubrica.metrics.bartscore:BartScore",
    "bertscore": "rubrica.metrics.bertscore.metric:BertScore",
    "bewte": "rubrica.metrics.bewte.program:BEwTE",
    "bewte-ud": "rubrica.metrics.bewte.metric:BEwTEUD",
    "blanc": "rubrica.metrics.blanc.metric:Blanc",
    "bleu": "rubrica.metrics.sacrebleu.bleu:Bleu",
    "bleurt": "rubrica.metrics.bleurt:Bleurt",
    "chrf": "rubrica.metrics.sacrebleu.chrf:ChrF",
    "cider": "rubrica.metrics.cider:Cider",
    "data-stats": "rubrica.metrics.data_stats:DataStats",
    "js": "rubrica.metrics.js:JensenShannon",
    "judge": "rubrica.metrics.judge.metric:Judge",
    "likelihood": "rubrica.metrics.likelihood:Likelihood",
    "lite-pyramid": "rubrica.metrics.pyramid.lite_pyramid:LitePyramid",
    "lite3pyramid": "rubrica.metrics.pyramid.lite3pyramid:Lite3Pyramid",
    "meteor": "rubrica.metrics.meteor.metric:Meteor",
    "minicheck": "rubrica.metrics.entailment.minicheck:MiniCheck",
    "moverscore": "rubrica.metrics.moverscore:MoverScore",
    "pyramid-score": "rubrica.metrics.pyramid.pyramid_score:PyramidScore",
    "pyreval": "rubrica.metrics.pyreval.program:PyrEval",
    "pyreval-style": "rubrica.metrics.pyreval.metric:PyrEvalStyle",
    "python-rouge": "rubrica.metrics.rouge.python_rouge:PythonRouge",
    "qa-eval": "rubrica.metrics.qa.qaeval:QAEval",
    "questeval": "rubrica.metrics.qa.questeval:QuestEval",
    "rouge": "rubrica.metrics.rouge.metric:Rouge",
    "rouge-be": "rubrica.metrics.rouge.basic_elements:RougeBE",
    "rouge-we": "rubrica.metrics.rouge_we:RougeWE",
    "s+wms": "rubrica.metrics.word_mover:SWMS",
    "s3": "rubrica.metrics.s3:S3",
    "sent-bleu": "rubrica.metrics.sacrebleu.bleu:SentBleu",
    "simetrix": "rubrica.metrics.simetrix.metric:SIMetrix",
    "sms": "rubrica.metrics.word_mover:SMS",
    "sum-qe": "rubrica.metrics.sumqe:SumQE",
    "summac": "rubrica.metrics.entailment.summac:SummaC",
    "summaqa": "rubrica.metrics.qa.summaqa:SummaQA",
    "supert": "rubrica.metrics.supert:Supert",
    "ter": "rubrica.metrics.sacrebleu.ter:Ter",
    "unieval": "rubrica.metrics.unieval:UniEval",
    "wms": "rubrica.metrics.word_mover:WMS",
}

_BASES = {
    "CorpusMetric": "rubrica.metrics.base.corpus",
    "DocumentBasedMetric": "rubrica.metrics.base.bases",
    "Metric": "rubrica.metrics.base.metric",
    "PairwiseMetric": "rubrica.metrics.base.pairwise",
    "PyramidBasedMetric": "rubrica.metrics.base.bases",
    "ReferenceBasedMetric": "rubrica.metrics.base.bases",
    "SummaryOnlyMetric": "rubrica.metrics.base.bases",
}
_CLASSES = {
    **{address.rpartition(":")[2]: address for address in ADDRESSES.values()},
    **{name: f"{module}:{name}" for name, module in _BASES.items()},
}

__all__ = sorted(_CLASSES)  # noqa: PLE0605 (names are loaded on first use)
__getattr__, __dir__ = lazy_names(__name__, _CLASSES)
