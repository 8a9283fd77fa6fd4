# The public names of tremble.recall, as in tremble/__init__.pyi.

from .forgetting import Forgetting as Forgetting
from .forgetting import InfosetView as InfosetView
from .forgetting import Loss as Loss
from .forgetting import RecallWitness as RecallWitness
from .forgetting import forget as forget
from .forgetting import recall_witness as recall_witness
from .regrouping import perfect_recall_refinement as perfect_recall_refinement
