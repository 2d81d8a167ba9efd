"""The one door to the kernels: compiled where it was built, plain Python elsewhere.

`RUBRICA_CORE=python` forces the plain kernels, `RUBRICA_CORE=native` refuses to run without the
compiled ones. Both give equal results; `IMPLEMENTATION` says which is in use.
"""

# ruff: noqa: F401 (imported for others)

from __future__ import annotations

import os
import warnings
from importlib.util import find_spec
from typing import Literal

from rubrica.errors import MissingResourceError, RubricaWarning

IMPLEMENTATION: Literal["native", "python"]
_requested = os.environ.get("RUBRICA_CORE", "")
if _requested not in ("", "native", "python"):
    raise MissingResourceError(
        f"RUBRICA_CORE={_requested!r} is not known; use 'native' or 'python', or unset it"
    )

_use_native = _requested != "python"
if _use_native:
    try:
        from rubrica.core._native import (  # noqa: TID251 (this is the door)
            KeyIndex,
            TextColumn,
            TextLists,
            bootstrap_sums,
            cider_frequencies,
            cider_similarities,
            encode_rows,
            graph_similarities,
            has_unique_keys,
            lines_end,
            nested_dicts,
            parse_json_rows,
            row_identities,
            soft_matches,
            split_lines,
            stem_words,
            ter_edits,
            text_digests,
            weighted_lcs_path,
            zip_columns,
        )
        from rubrica.core.native.correlation import (
            bootstrap_counts,
            column_correlations,
            exchanged_pearson,
            masked_sums,
            rank_tables,
            resampled_correlations,
            swap_masks,
            swapped_correlations,
        )
        from rubrica.core.native.ids import id_keys
        from rubrica.core.native.meteor import meteor_statistics
        from rubrica.core.native.rouge import (
            rouge155_bootstrap_sums,
            rouge155_whole_sums,
            rouge_counts,
            rouge_scores,
            round5,
        )
    except ImportError as missing:
        if _requested == "native":
            raise MissingResourceError(
                "RUBRICA_CORE=native, but the compiled kernels are not installed; "
                "reinstall with a C++20 compiler present: pip install --force-reinstall rubrica"
            ) from missing
        if find_spec("rubrica.core._native") is not None:
            # They are there and do not fit: of another version, or for another machine.
            warnings.warn(
                f"the compiled kernels cannot be used ({missing}); the plain ones are slower "
                "and give the same numbers. Build them again: pip install --force-reinstall rubrica",
                RubricaWarning,
                stacklevel=2,
            )
        _use_native = False
if not _use_native:
    from rubrica.core.python.cider import cider_frequencies, cider_similarities
    from rubrica.core.python.columns import (  # type: ignore[assignment]
        TextColumn,
        TextLists,
        encode_rows,
        has_unique_keys,
        lines_end,
        parse_json_rows,
        row_identities,
        split_lines,
        text_digests,
        zip_columns,
    )
    from rubrica.core.python.common import (  # type: ignore[assignment]  # a class of the same methods
        KeyIndex,
        bootstrap_sums,
        id_keys,
        nested_dicts,
    )
    from rubrica.core.python.correlation import (
        bootstrap_counts,
        column_correlations,
        resampled_correlations,
        swap_masks,
        swapped_correlations,
    )
    from rubrica.core.python.exchanged_sums import exchanged_pearson, masked_sums
    from rubrica.core.python.graph import graph_similarities
    from rubrica.core.python.meteor import meteor_statistics
    from rubrica.core.python.rank_tables import rank_tables
    from rubrica.core.python.rouge import (
        rouge155_bootstrap_sums,
        rouge155_whole_sums,
        rouge_counts,
        rouge_scores,
        round5,
        weighted_lcs_path,
    )
    from rubrica.core.python.soft_matches import soft_matches
    from rubrica.core.python.stem import stem_words
    from rubrica.core.python.ter import ter_edits

IMPLEMENTATION = "native" if _use_native else "python"
