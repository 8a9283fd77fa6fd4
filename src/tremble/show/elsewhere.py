"""Tables and plots of other parts that stand among the public names of :mod:`tremble.show`."""

from tremble.batch.sweep_views import sweep_plot as sweep_plot
from tremble.text.records import strategy_table as strategy_table
