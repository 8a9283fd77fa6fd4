from tremble.batch.sweep_views import sweep_plot as sweep_plot
from tremble.text.records import strategy_table as strategy_table
