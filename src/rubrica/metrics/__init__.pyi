"""All metrics: the table of their names, and their classes, imported on first use."""

from rubrica.metrics.autosummeng import AutoSummENG as AutoSummENG
from rubrica.metrics.bartscore import BartScore as BartScore
from rubrica.metrics.base.bases import DocumentBasedMetric as DocumentBasedMetric
from rubrica.metrics.base.bases import PyramidBasedMetric as PyramidBasedMetric
from rubrica.metrics.base.bases import ReferenceBasedMetric as ReferenceBasedMetric
from rubrica.metrics.base.bases import SummaryOnlyMetric as SummaryOnlyMetric
from rubrica.metrics.base.corpus import CorpusMetric as CorpusMetric
from rubrica.metrics.base.metric import Metric as Metric
from rubrica.metrics.base.pairwise import PairwiseMetric as PairwiseMetric
from rubrica.metrics.bertscore.metric import BertScore as BertScore
from rubrica.metrics.bewte.metric import BEwTEUD as BEwTEUD
from rubrica.metrics.bewte.program import BEwTE as BEwTE
from rubrica.metrics.blanc.metric import Blanc as Blanc
from rubrica.metrics.bleurt import Bleurt as Bleurt
from rubrica.metrics.cider import Cider as Cider
from rubrica.metrics.data_stats import DataStats as DataStats
from rubrica.metrics.entailment.alignscore import AlignScore as AlignScore
from rubrica.metrics.entailment.minicheck import MiniCheck as MiniCheck
from rubrica.metrics.entailment.summac import SummaC as SummaC
from rubrica.metrics.js import JensenShannon as JensenShannon
from rubrica.metrics.judge.metric import Judge as Judge
from rubrica.metrics.likelihood import Likelihood as Likelihood
from rubrica.metrics.meteor.metric import Meteor as Meteor
from rubrica.metrics.moverscore import MoverScore as MoverScore
from rubrica.metrics.pyramid.lite3pyramid import Lite3Pyramid as Lite3Pyramid
from rubrica.metrics.pyramid.lite_pyramid import LitePyramid as LitePyramid
from rubrica.metrics.pyramid.pyramid_score import PyramidScore as PyramidScore
from rubrica.metrics.pyreval.metric import PyrEvalStyle as PyrEvalStyle
from rubrica.metrics.pyreval.program import PyrEval as PyrEval
from rubrica.metrics.qa.apes import APES as APES
from rubrica.metrics.qa.qaeval import QAEval as QAEval
from rubrica.metrics.qa.questeval import QuestEval as QuestEval
from rubrica.metrics.qa.summaqa import SummaQA as SummaQA
from rubrica.metrics.rouge.basic_elements import RougeBE as RougeBE
from rubrica.metrics.rouge.metric import Rouge as Rouge
from rubrica.metrics.rouge.python_rouge import PythonRouge as PythonRouge
from rubrica.metrics.rouge_we import RougeWE as RougeWE
from rubrica.metrics.s3 import S3 as S3
from rubrica.metrics.sacrebleu.bleu import Bleu as Bleu
from rubrica.metrics.sacrebleu.bleu import SentBleu as SentBleu
from rubrica.metrics.sacrebleu.chrf import ChrF as ChrF
from rubrica.metrics.sacrebleu.ter import Ter as Ter
from rubrica.metrics.simetrix.metric import SIMetrix as SIMetrix
from rubrica.metrics.sumqe import SumQE as SumQE
from rubrica.metrics.supert import Supert as Supert
from rubrica.metrics.unieval import UniEval as UniEval
from rubrica.metrics.word_mover import SMS as SMS
from rubrica.metrics.word_mover import SWMS as SWMS
from rubrica.metrics.word_mover import WMS as WMS

__all__ = ["APES", "AlignScore", "AutoSummENG", "BEwTE", "BEwTEUD", "BartScore", "BertScore", "Blanc", "Bleu", "Bleurt", "ChrF", "Cider", "CorpusMetric", "DataStats", "DocumentBasedMetric", "JensenShannon", "Judge", "Likelihood", "Lite3Pyramid", "LitePyramid", "Meteor", "Metric", "MiniCheck", "MoverScore", "PairwiseMetric", "PyrEval", "PyrEvalStyle", "PyramidBasedMetric", "PyramidScore", "PythonRouge", "QAEval", "QuestEval", "ReferenceBasedMetric", "Rouge", "RougeBE", "RougeWE", "S3", "SIMetrix", "SMS", "SWMS", "SentBleu", "SumQE", "SummaC", "SummaQA", "SummaryOnlyMetric", "Supert", "Ter", "UniEval", "WMS"]

ADDRESSES: dict[str, str]
