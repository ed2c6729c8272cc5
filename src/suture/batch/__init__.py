"""Many edits at once, for those who evaluate and train models: rows in, rows out, each exactly once and in order."""

from __future__ import annotations

from ..core.lazy import lazy_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .ray_data import score_dataset as score_dataset
    from .row_score import REWARDS as REWARDS, reward as reward, score as score
    from .tables import score_table as score_table
    from .tally import Tally as Tally
    from .workers import RowLimits as RowLimits, score_rows as score_rows

if not TYPE_CHECKING:
    __all__, __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "ray_data": "score_dataset",
            "row_score": "REWARDS reward score",
            "tables": "score_table",
            "tally": "Tally",
            "workers": "RowLimits score_rows",
        },
    )
