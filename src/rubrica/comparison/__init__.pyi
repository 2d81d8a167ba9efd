"""Which system is better: systems compared on the same inputs, with paired tests."""

from rubrica.comparison.gate import Verdict as Verdict
from rubrica.comparison.gate import assert_not_worse as assert_not_worse
from rubrica.comparison.gate import judge as judge
from rubrica.comparison.records import Comparison as Comparison
from rubrica.comparison.records import PairedTest as PairedTest
from rubrica.comparison.records import TestPlan as TestPlan
from rubrica.comparison.scores import compare_scores as compare_scores
from rubrica.comparison.systems import compare as compare
from rubrica.comparison.systems import compare_instances as compare_instances

__all__ = ["Comparison", "PairedTest", "TestPlan", "Verdict", "assert_not_worse", "compare", "compare_instances", "compare_scores", "judge"]
