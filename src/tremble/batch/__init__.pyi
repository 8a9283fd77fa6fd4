# The public names of tremble.batch, in the format of tremble/__init__.pyi.

from .many_games import solve_many as solve_many
from .parameter_sweep import Sweep as Sweep
from .parameter_sweep import sweep as sweep
from .results import BatchResult as BatchResult
from .sweep_views import sweep_plot as sweep_plot
