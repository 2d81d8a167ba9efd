"""How many examples Hypothesis tries where one property is a test of its own for each of many parameters."""

from __future__ import annotations

from hypothesis import settings

# Half as many for each: with ten parameters these are still five times as many as for any other property.
half_as_many = settings(max_examples=max(settings().max_examples // 2, 1))
