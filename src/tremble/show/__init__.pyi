# The public names of tremble.show, in the format of tremble/__init__.pyi.

from .comparison_html import draw_comparison_html as draw_comparison_html
from .comparison_svg import draw_comparison_svg as draw_comparison_svg
from .draw import Picture as Picture
from .equilibrium_sets import equilibrium_set as equilibrium_set
from .html import draw_html as draw_html
from .latex import draw_bimatrix_latex as draw_bimatrix_latex
from .latex import draw_tikz as draw_tikz
from .plots import Curve as Curve
from .plots import convergence as convergence
from .plots import losses as losses
from .plots import read_log as read_log
from .elsewhere import strategy_table as strategy_table
from .replies import best_replies as best_replies
from .svg import draw_svg as draw_svg
from .elsewhere import sweep_plot as sweep_plot
