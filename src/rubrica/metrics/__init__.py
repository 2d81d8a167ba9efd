"""All metrics: the table of their names, and their classes, imported when asked for."""

from __future__ import annotations

from rubrica.lazy import lazy_names

# name -> "module:class"; a metric's module is imported when the metric is first used.
ADDRESSES = {
    "autosummeng": "rubrica.metrics.autosummeng:AutoSummENG",
    "bewte-ud": "rubrica.metrics.bewte.metric:BEwTEUD",
    "bleu": "rubrica.metrics.bleu:Bleu",
    "chrf": "rubrica.metrics.chrf:ChrF",
    "cider": "rubrica.metrics.cider:Cider",
    "data-stats": "rubrica.metrics.data_stats:DataStats",
    "js": "rubrica.metrics.js:JensenShannon",
    "lite-pyramid": "rubrica.metrics.lite_pyramid:LitePyramid",
    "meteor": "rubrica.metrics.meteor.metric:Meteor",
    "pyramid-score": "rubrica.metrics.pyramid_score:PyramidScore",
    "pyreval-style": "rubrica.metrics.pyreval.metric:PyrEvalStyle",
    "python-rouge": "rubrica.metrics.rouge.python_rouge:PythonRouge",
    "rouge": "rubrica.metrics.rouge.metric:Rouge",
    "rouge-be": "rubrica.metrics.rouge.basic_elements:RougeBE",
    "rouge-we": "rubrica.metrics.rouge_we:RougeWE",
    "s+wms": "rubrica.metrics.movers:SWMS",
    "s3": "rubrica.metrics.s3:S3",
    "sent-bleu": "rubrica.metrics.bleu:SentBleu",
    "simetrix": "rubrica.metrics.simetrix:SIMetrix",
    "sms": "rubrica.metrics.movers:SMS",
    "ter": "rubrica.metrics.ter:Ter",
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
__getattr__ = lazy_names(__name__, _CLASSES)


def __dir__() -> list[str]:
    return [*globals(), *_CLASSES]
