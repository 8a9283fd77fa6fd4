"""The contents of a drawing: the part of a tree to draw, and the numbers to show on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tremble.arguments import required_integer
from tremble.errors import GameError
from tremble.formats.given_profile import GivenProfile, ProfileLike, given_profile
from tremble.game.places import find_node, find_set
from tremble.game.requirements import require_tree
from tremble.game.tree import GameTree
from tremble.numbers import required_max_nodes
from tremble.show.annotations import Annotations, annotate
from tremble.show.layout import Excerpt, excerpt
from tremble.solution.audit import Audit

__all__ = ["Root", "Scene", "start_of"]

Root = str | Sequence[str | int] | Sequence[str] | None
"""A place where a drawing can begin.

A place is an information set, given by a label or a pair (player, set), or a node, given by the moves from the root.
"""


@dataclass(frozen=True)
class Scene:
    """A tree, the part of the tree to draw, the numbers to show on this part, and the profile, if any."""

    tree: GameTree
    part: Excerpt
    notes: Annotations
    given: GivenProfile | None

    @classmethod
    def of(
        cls,
        tree: GameTree,
        profile: ProfileLike | GivenProfile | Audit | None = None,
        *,
        max_nodes: int = 3000,
        start: Sequence[int] = (0,),
        depth: int | None = None,
    ) -> Scene:
        """Choose the part of a tree to draw, and compute the numbers for it.

        Raises
        ------
        TrembleError
            The profile belongs to another game. If the profile is a solution, the error is a ``CertificateError``.
        """
        require_tree(tree)
        given, audit = None, profile if isinstance(profile, Audit) else None
        if profile is not None:
            given = given_profile(tree, profile)
        part = excerpt(tree, required_max_nodes(max_nodes), start=start, depth=depth)
        return cls(tree, part, annotate(tree, part, given, audit), given)


def start_of(tree: GameTree, root: Root) -> tuple[int, ...]:
    """Return the nodes at which a drawing begins: those that ``root`` names, or without ``root`` the tree's first node.

    Raises
    ------
    GameError
        The tree does not contain the node or the information set that ``root`` names.
    """
    if root is None:
        return (0,)
    if isinstance(root, str):
        return nodes_of(tree, *find_set(tree, root))
    if not isinstance(root, Sequence):
        raise GameError(
            f"'root': {root!r:.80} is no place in the tree; give the label of an information set, a pair (player, set) "
            "with indices from 0, or a list with the labels of the moves from the root"
        )
    if len(root) == 2 and not isinstance(root[0], str):
        player = required_integer(root[0], "root: the player, the first of the pair,")
        return nodes_of(tree, *find_set(tree, root[1], player))
    return (find_node(tree, root),)


def nodes_of(tree: GameTree, player: int, k: int) -> tuple[int, ...]:
    """Return the nodes of information set ``k`` of ``player``; omit nodes that are below another node of the set."""
    nodes = np.flatnonzero((tree.player == player) & (tree.infoset == k)).tolist()
    own, first = set(nodes), []
    for node in nodes:
        above = int(tree.parent[node])
        while above > 0 and above not in own:
            above = int(tree.parent[above])
        if above not in own:
            first.append(node)
    return tuple(first)
