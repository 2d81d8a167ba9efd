"""How many examples Hypothesis tries where each is slow, or a property is a test for each of many parameters."""

from __future__ import annotations

from hypothesis import settings

# Half as many for each: with ten parameters these are still five times as many as for any other property.
half_as_many = settings(max_examples=max(settings().max_examples // 2, 1))
