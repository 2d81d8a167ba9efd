"""Data in: readers of evaluation instances, outside resources, and the data sets themselves."""

from rubrica.datasets.base import Dataset as Dataset
from rubrica.datasets.base import Prepared as Prepared
from rubrica.datasets.base import setup_dataset as setup_dataset
from rubrica.datasets.objects import instances_of as instances_of

__all__ = ["Dataset", "Prepared", "instances_of", "setup_dataset"]

ADDRESSES: dict[str, str]
