r"""Extensive-form perfect equilibria, proven by a basis that is optimal for every small epsilon.

Definition (Selten 1975).  A profile is extensive-form perfect if it is the limit of equilibria of perturbed games. In a
perturbed game, each action a has a positive least probability. These least probabilities tend to 0.

In this folder, the least probability is :math:`w_a \epsilon^{k_a}`. The certificate states the weights w_a and the
orders k_a. So every profile that passes is perfect. If a profile is perfect only for trembles of another form, it has
no certificate of this kind.

The certificate names a *basis*: the sequences whose weights may be greater than their least weights. All other
sequences have exactly their least weights. At each set, the sequences of the basis earn the same payoff. These
conditions are linear equations in the weights of sequences, with polynomials in :math:`\epsilon` as coefficients. Their
solution is a pair of plans, whose weights are rational functions. The certificate states the first coefficients of the
power series of these functions.

Theorem.  A profile is extensive-form perfect if

1. the equations determine the plans, and bound the orders of the poles of the plans at 0 (`regular`);
2. the stated coefficients satisfy the equations, so the first few coefficients are true (`signs`);
3. the first nonzero coefficient is positive for every function that must not be negative (`signs`);
4. functions without a known nonzero coefficient are 0 (`zeros`);
5. the stated strategies are the limits of the plans (`signs`).

Proof.  By (1) to (4), the plans are an equilibrium of the perturbed game for every small :math:`\epsilon > 0`. By (5),
the profile is the limit of these equilibria.

Read the files in this order:

    certificate     reads plain data
    system          the equations; classes of sequences that are alike
    elimination     factorization of sparse matrices modulo a prime
    regular, signs, zeros       the proofs of (1) to (5)
    point           a second check, for one value of epsilon

Source: R. Selten, Reexamination of the perfectness concept for equilibrium points in extensive games, International
Journal of Game Theory 4 (1975), 25-55; G. Farina, N. Gatti and T. Sandholm, Practical exact algorithm for
trembling-hand equilibrium refinements in games, NeurIPS 2018.
"""

from __future__ import annotations

from tremble.check.basis.certificate import read_basis, read_help
from tremble.check.basis.point import check_point
from tremble.check.basis.regular import order_of_pole
from tremble.check.basis.signs import check_limits, check_plan, check_signs, losses
from tremble.check.basis.system import square_system
from tremble.check.basis.zeros import check_zeros
from tremble.check.case import Case

__all__ = ["prove_by_basis"]


def prove_by_basis(case: Case) -> None:
    """Check conditions (1) to (5) of the module docstring, which prove that a profile is extensive-form perfect."""
    basis = read_basis(case)
    before = _found(case)
    lost = []
    for player in (0, 1):
        check_point(case, basis, player)
        check_plan(case, basis, player)
        lost.append(losses(case, basis, player))
    single = len(basis.systems) == 1
    seats = ((0, 1),) if single else ((0, 1), (1, 0))
    squares = [square_system(case, basis, players, single) for players in seats]
    if _found(case) > before:
        return
    helps, known = [], []
    for square, (where, stated) in zip(squares, basis.systems, strict=True):
        helps.append(read_help(where, stated, square.place_of_row, square.place_of_column, case.limits))
        pole = order_of_pole(case, square, helps[-1], min(map(len, basis.series)) - 1, where)
        if pole is None:
            return
        known += [len(basis.series[player]) - 1 - pole for player in square.players[: 1 + single]]
    for player in (0, 1):
        check_signs(case, basis, player, lost[player], (known[player], known[1 - player]))
        check_limits(case, basis, player, known[player])
    if _found(case) == before:
        check_zeros(case, basis, squares, helps, known)


def _found(case: Case) -> int:
    """Return the number of problems that the case has so far."""
    return len(case.problems) + case.problems.left_out
