"""Released score files of papers: one module per layout, read as scores or as judged texts.

Every reader takes paths and options and checks both; released files are untrusted. A reader never
executes what it reads: pickles go through `rubrica.data.formats.safe_pickle`.
"""

from rubrica.datasets.released.bartscore_pickle import read_ranked_pickle, read_text_pickle
from rubrica.datasets.released.converted import read_dataset
from rubrica.datasets.released.judged_texts import JudgedTexts, Pooling
from rubrica.datasets.released.rated_systems import read_rated_systems
from rubrica.datasets.released.records import read_records
from rubrica.datasets.released.system_table import read_system_table
from rubrica.datasets.released.topics import read_topics
from rubrica.datasets.released.unit_labels import read_unit_labels

__all__ = [
    "JudgedTexts",
    "Pooling",
    "read_dataset",
    "read_ranked_pickle",
    "read_rated_systems",
    "read_records",
    "read_system_table",
    "read_text_pickle",
    "read_topics",
    "read_unit_labels",
]
