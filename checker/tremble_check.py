"""A checker of solution files of tremble, written from the specification tremble/certificate@1 alone.
Usage: python tremble_check.py GAME SOLUTION
Exit codes: 0 accepted, 1 refused, 2 unreadable file or wrong usage, 3 not supported.
In the code, players are 0 and 1, sets are 0, 1, ..., and sequences have the numbers of the specification. Plans are
lists of integers with a common denominator. `need(condition, rule, place)` tests a rule, such as "C2".
"""
import collections, hashlib, json, math, re, resource, signal, sys
from fractions import Fraction
from functools import partial
from itertools import accumulate, count, pairwise
CHANCE, LEAF, HARD = 2, 3, ["quasi-perfect", "sequential", "perfect"]
KINDS = {"nash": ["best-response"], "subgame-perfect": ["best-response"], "one-sided-quasi-perfect": ["polynomials"],
         "quasi-perfect": ["polynomials", "backward-induction"], "normal-form-perfect": ["polynomials"],
         "perfect": ["polynomials", "backward-induction", "basis"], "proper": ["ranked-plans"],
         "sequential": ["polynomials", "consistent-trembles"], "maxmin": ["best-response", "guarantee", "branching"]}
REFUTED = {"best-response": [name for name in KINDS if name != "maxmin"], "reply": ["one-sided-quasi-perfect"],
           "dominated": ["normal-form-perfect", "proper"], "subgame": ["subgame-perfect"] + HARD,
           "mistakes": ["one-sided-quasi-perfect"] + HARD}
NUMBER = re.compile("(-?)(N)(?:/(N))?".replace("N", "0|[1-9][0-9]{0,3999}|0x[1-9a-f][0-9a-f]*"))
class Answer(Exception): """An answer ends a check: an exit code and a message."""
def need(condition, rule, place):  # The function refuses the file unless the condition holds
    if not condition: raise Answer(1, f"{rule}: {place}")
def scaled(values):  # The function returns integers, and the common denominator that makes them equal to the values
    below = math.lcm(*{value.denominator for value in values})
    return [value.numerator * (below // value.denominator) for value in values], below
def are_chances(values): return min(values) >= 0 and sum(scaled(values)[0]) == scaled(values)[1]
def read_json(data, place):  # The function parses a JSON text
    def members(pairs):
        floats = [key for key, value in pairs if type(value) is float and not key.endswith("_float")]
        need(len(dict(pairs)) == len(pairs) and not floats, "J2 or J4", f"{place}: a key occurs twice, or {floats}")
        return dict(pairs)
    try:
        found = json.loads(data.decode("utf-8-sig"), object_pairs_hook=members, parse_constant=lambda _: need(
            False, "J4", place), parse_int=lambda text: need(len(text.lstrip("-")) < 19, "J4", place) or int(text))
        if re.search(rb"\\u[dD]", data): json.dumps(found, ensure_ascii=False).encode()  # fails if it is unpaired
        return found
    except json.JSONDecodeError as error: raise Answer(2, f"{place} is not JSON: {error}") from None
def fit(value, form, place):
    """The function reads a value of a form. A form is a type, a function that reads a value, [form] for a list,
    (form, form) for a list of fixed length, {name: form} for an object, or None. Optional fields end with "?"."""
    if form is None: return value
    if type(form) is dict:
        names = {name.rstrip("?"): name for name in form}
        need(type(value) is dict and set(value) <= set(names), "J3", f"{place} is not an object, or has other fields")
        need(all(name in value or name + "?" in form for name in names), "J3", f"{place} lacks a field")
        return {name: fit(value[name], form[names[name]], f"{place}.{name}") for name in names if name in value}
    if type(form) in (list, tuple):
        need(type(value) is list and (type(form) is list or len(value) == len(form)), "J3", f"length of {place}")
        return [fit(*pair, place) for pair in zip(value, form * len(value) if type(form) is list else form)]
    need(not isinstance(form, type) or type(value) is form, "J3", f"{place} has the wrong type")
    return value if isinstance(form, type) else form(value, place)
def maybe(form): return lambda value, place: None if value is None else fit(value, form, place)
def number(value, place, most=200_000, least=None, integer=False):  # The function reads an exact number
    match = NUMBER.fullmatch(value) if type(value) is str and len(value) <= most else None
    need(match, "J7", f"{place} is not an exact number")
    above, below = int(match[2], 0), int(match[3] or "1", 0)
    need((above or not match[1]) and (not match[3] or (below > 1 and math.gcd(above, below) == 1)), "J8", place)
    found = (Fraction(above, below) if match[3] else above) * (-1 if match[1] else 1)
    need((least is None or found > least) and (not integer or not match[3]), "J9 or trembles", f"{place}: {value[:99]}")
    return found
whole = partial(number, integer=True)
def ascending(least, most, pairs=False):  # The function makes a form for ascending integers (or pairs with them)
    def read(value, place):
        found = fit(value, [(int, whole)] if pairs else [int], place)
        keys = [pair[0] for pair in found] if pairs else found
        need(all(least <= key <= most for key in keys) and all(a < b for a, b in pairwise(keys)), "data", place)
        return [dict(found).get(n, 0) for n in range(most + 1)] if pairs else found
    return read
def node(value, place):  # The function reads a node of a JSON game: who moves, and the number of the set or the payoffs
    if type(value) is list and value[:1] == ["t"]:
        return LEAF, fit(value[1:], (partial(number, most=40_000),) * 2, place)
    who, k = fit(value, (str, int), place)
    need(who in ("p1", "p2", "c"), "J3", f"{place}: {who}")
    return ("p1", "p2", "c").index(who), k - 1
def read_json_game(data):  # The function reads a JSON game: labels of the sets, moves of chance, and nodes
    form = {"schema": str, "title": str, "players": (str, str), "infosets": ([{"label": str, "actions": [str]}],) * 2,
            "chance": [{"actions": [str], "probabilities": [partial(number, most=40_000)]}], "nodes": [node]}
    stated = fit(read_json(data, "game"), form, "game")
    chance = [(entry["actions"], entry["probabilities"]) for entry in stated["chance"]]
    need(stated["schema"] == "tremble/game@1" and all(len(a) == len(b) for a, b in chance), "J3", "schema or chance")
    sets = [[entry["actions"] for entry in table] for table in stated["infosets"]]
    for who, table in enumerate([*sets, chance]):
        used = dict.fromkeys(k for mover, k in stated["nodes"] if mover == who)
        need(list(used) == list(range(len(table))), "T2", ("sets of player 1", "sets of player 2", "chance")[who])
    return sets, chance, stated["nodes"]
def rename(labels):  # The function replaces empty and repeated labels of an .efg file
    taken, tried, found = collections.Counter(labels), {}, []
    for label in labels:
        if label == "" or taken[label] > 1:
            tries = tried.setdefault(label, count(1))
            label = next(text for text in map(partial("{}_{}".format, label), tries) if text not in taken)
            taken[label] = 1
        found.append(label)
    return found
def pattern(text):  # The function makes a regular expression from TEXT, INT, NUM and a blank for any blanks
    for short, long in (("TEXT", r'"(?:\\["\\]|[^"])*+"'), ("INT", r"[+-]?[0-9]++(?![./eE])"), (" ", "[ \t\r\n]*+"),
        ("NUM", r"[+-]?(?>[0-9]+/[0-9]+|(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)(?![0-9.+/-])")):
        text = text.replace(short, long)
    return re.compile(text)
HEAD, ENTRY = map(pattern, (r" EFG 2 [RD] TEXT \{ TEXT ,?+ TEXT ,?+ \}(?: TEXT)?+", r" (TEXT)(?: (NUM))?+ ,?+"))
NODE = pattern(r" (?:(?P<leaf>t) TEXT|(?:c TEXT|p TEXT (?P<player>[12])(?![0-9./eE])) (?P<key>INT)(?: TEXT)?+"
               r"(?P<all> \{(?P<list>(?: TEXT(?: NUM)?+ ,?+)*+) \})?+) (?P<outcome>INT)(?: TEXT)?+"
               r"(?P<paid> \{ (?P<first>NUM) ,?+ (?P<second>NUM) ,?+ \})?+")
def decimal(text):  # The function reads an exact number of an .efg file
    short = all(len(digits) <= 4300 for digits in re.findall("[0-9]+", text.replace(".", "")))
    power = (re.findall("[eE][+-]?0*([0-9]+)", text) or ["0"])[0]
    need(short and len(power) < 5 and int(power) <= 4300 and not re.search("/0+$", text), "efg", f"number {text}")
    return Fraction(text)
def unescape(match):  # The function replaces one escape in a string of an .efg file
    good = match[2] and int(match[2]) <= 1114111 and not 0xD800 <= int(match[2]) < 0xE000
    return match[1] or (chr(int(match[2])) if good else match[0])
def read_efg_game(data):  # The function reads a Gambit file: labels of the sets, moves of chance, and nodes
    text, seen, tables, outcomes, nodes = data.decode(), [{}, {}, {}], [[], [], []], {0: [0, 0]}, []
    match = HEAD.match(text)
    stack = [[1, [0, 0]]]  # for each open node, the number of children that it lacks, and the payoffs on its path
    while stack:
        match, place = match and NODE.match(text, match.end()), f"node {len(nodes) + 1}"
        need(match, "efg", f"{place}, or the text before it, does not match the grammar")
        who = LEAF if match["leaf"] else int(match["player"]) - 1 if match["player"] else CHANCE
        if who != LEAF:
            entries, key = ENTRY.findall(match["list"] or ""), int(decimal(match["key"]))
            labels = [re.sub(r'\\(["\\])|&#([0-9]{1,7});', unescape, label[1:-1]) for label, _ in entries]
            need(all(bool(chance) == (who == CHANCE) for _, chance in entries), "efg", f"probabilities of {place}")
            chances = [decimal(chance) for _, chance in entries if chance]
            if key not in seen[who]:
                need(labels, "efg", f"{place} is in a set without actions")
                seen[who][key] = len(tables[who]), labels
                tables[who].append([rename(labels), chances])
            k, old = seen[who][key]
            need(not match["all"] or labels in (old, tables[who][k][0]) and chances == tables[who][k][1], "efg", place)
        payoffs = [decimal(match["first"]), decimal(match["second"])] if match["paid"] else None
        known = outcomes.setdefault(int(decimal(match["outcome"])), payoffs)
        need(known and payoffs in (None, known), "efg", f"outcome of {place}")
        stack[-1][0] -= 1
        total = [a + b for a, b in zip(stack[-1][1], known)]
        nodes.append((who, total if who == LEAF else k))
        if who != LEAF: stack.append([len(tables[who][k][0]), total])
        while stack and stack[-1][0] == 0: stack.pop()
    return [[labels for labels, _ in table] for table in tables[:2]], tables[2], nodes
class Game:
    """A game has nodes in preorder, sequences, and the table U."""
    def __init__(self, sets, chance, nodes):
        for labels, chances in [(labels, [1]) for table in sets for labels in table] + chance:
            need(labels and len(set(labels)) == len(labels) and are_chances(chances), "T3 or T4", f"actions {labels}")
        n, self.sets, self.chance, self.nodes = len(nodes), sets, chance, nodes
        self.labels = [() if who == LEAF else chance[k][0] if who == CHANCE else sets[who][k] for who, k in nodes]
        starts = [list(accumulate(map(len, table), initial=1)) for table in sets]
        self.moves = [[range(a, b) for a, b in pairwise(start)] for start in starts]  # the sequences (k, a) of a set
        self.size = [start[-1] for start in starts]  # the number of sequences
        self.set_of = [[None] + [k for k, labels in enumerate(table) for _ in labels] for table in sets]
        self.before, self.members = ([[make() for _ in table] for table in sets] for make in (lambda: None, list))
        self.parent, self.step, self.reach, self.children = [None] * n, [None] * n, [1] * n, [[] for _ in nodes]
        self.seq, self.recall, stack = [[0] * n, [0] * n], True, []
        for h, (who, what) in enumerate(nodes):
            need(h == 0 or stack, "T1", f"node {h} is after the end of the tree")
            if stack:
                up = stack[-1]
                (mover, which), a, labels = nodes[up], len(self.children[up]), self.labels[up]
                self.children[up].append(h)
                self.parent[h], self.step[h] = up, labels[a]
                for i in (0, 1): self.seq[i][h] = self.moves[i][which][a] if mover == i else self.seq[i][up]
                self.reach[h] = self.reach[up] * chance[which][1][a] if mover == CHANCE else self.reach[up]
                if a + 1 == len(labels): stack.pop()
            if who in (0, 1):
                if not self.members[who][what]: self.before[who][what] = self.seq[who][h]
                self.members[who][what].append(h)
                self.recall &= self.before[who][what] == self.seq[who][h]
            if who != LEAF: stack.append(h)
        need(nodes and not stack, "T1", "the list of nodes ends too early")
        self.simple = not any(self.before[0]) and not any(self.before[1])  # no player moves twice on a path
        self.weight, below = scaled(self.reach)  # c_h, as integers
        leaves = [h for h in range(n) if nodes[h][0] == LEAF]
        (self.sum, *other), self.U, self.scale, lines = {sum(nodes[h][1]) for h in leaves}, [], [], []
        if other: self.sum = None
        for i in (0, 1):
            payoffs, times = scaled([nodes[h][1][i] for h in leaves])
            table = [collections.Counter() for _ in range(self.size[i])]
            for h, payoff in zip(leaves, payoffs): table[self.seq[i][h]][self.seq[1 - i][h]] += self.weight[h] * payoff
            self.U.append([list(row.items()) for row in table])  # integers: `scale` times the table of the rules
            self.scale.append(below * times)
        for (who, what), labels in zip(nodes, self.labels):
            start = "t" if who == LEAF else ("c" if who == CHANCE else f"p{who + 1} {what + 1}") + " " + json.dumps(
                labels, ensure_ascii=False)
            values = what if who == LEAF else chance[what][1] if who == CHANCE else []
            parts = [[str(n) if abs(n) < 2**13287 else hex(n) for n in (v.numerator, v.denominator)] for v in values]
            lines.append(start + "".join(f" {a}" if b == "1" else f" {a}/{b}" for a, b in parts) + "\n")
        self.digest = "sha256:" + hashlib.sha256("".join(lines).encode()).hexdigest()
    def earnings(self, i, plan):  # The method computes u and V of player i, as lists of coefficients
        columns = [[sum([a * y[r] for r, a in row]) for row in self.U[i]] for y in plan]
        u, V = [list(values) for values in zip(*columns)], [None] * len(self.sets[i])
        for k in reversed(range(len(V))):
            V[k], before = max(u[q] for q in self.moves[i][k]), self.before[i][k]
            u[before] = [a + b for a, b in zip(u[before], V[k])]
        return u, V
    def flows(self, i, x, rule):  # The method tests that the weights of each set sum to the weight before it
        for k, before in enumerate(self.before[i]):
            need(sum(x[q] for q in self.moves[i][k]) == x[before], rule, f"player {i + 1}, set {k + 1}")
    def gains(self, i, x):  # The method sums U times the weights x of player i, for each sequence of the opponent
        found = [0] * self.size[1 - i]
        for q, row in enumerate(self.U[i]):
            for r, a in row if x[q] else (): found[r] += x[q] * a
        return found
class Solution:
    """A solution has strategies (sigma), plans (in integers), best responses and values. The class tests C1 to C5."""
    def __init__(self, game, stated):
        pair, beliefs = (number, number), ([{"infoset": int, "nodes": [([str], number)]}],) * 2
        form = {"schema": str, "tremble": str, "game": {"spec": maybe(str), "title": str, "digest": maybe(str)},
                "concept": str, "requested": str, "method": {"name": str, "options": dict}, "status": str,
                "stats": dict, "values": pair, "bounds?": maybe(pair), "strategies": None, "certificate": dict,
                "beliefs?": maybe(beliefs), "refutation?": maybe(dict)}
        vars(self).update(stated := {"bounds": None, "beliefs": None, "refutation": None} | fit(stated, form, "file"))
        self.game, sides = game, self.strategies
        allowed = {"certified": KINDS, "bounded": ["nash", "maxmin"], "limit-reached": ["nash"]}.get(self.status, ())
        need(self.schema == "tremble/solution@1" and self.concept in allowed and self.requested in KINDS, "C5", "names")
        tree = type(sides) is list and len(sides) == 2 and all(type(side) is list and all(
            type(entry) is dict and "actions" in entry for entry in side) for side in sides)
        if self.concept == "maxmin" or not tree: raise Answer(3, "maxmin, or strategies of a game that is not a tree")
        need(stated["game"]["digest"] == game.digest and game.recall, "C1 or C3", "game.digest, or a player forgets")
        need(self.beliefs is None or self.concept == "sequential", "C9", "beliefs")
        self.sigma, self.marks, self.plans, self.below, self.best, self.values = [], [], [], [], [], []
        for i, side in enumerate(sides):
            entry = {"infoset": int, "label": str, "actions": [(str, number)], "off_path?": bool}
            side, sigma, x = fit(side, [entry], "strategies"), [1], [1]
            need([entry["infoset"] for entry in side] == list(range(1, len(game.sets[i]) + 1)), "C2", "infoset")
            for k, entry in enumerate(side):
                labels, chances = [label for label, _ in entry["actions"]], [p for _, p in entry["actions"]]
                need(labels == game.sets[i][k] and are_chances(chances), "C2", f"player {i + 1}, set {k + 1}")
                sigma, x = sigma + chances, x + [p * x[game.before[i][k]] for p in chances]
            self.sigma.append(sigma), self.marks.append([entry.get("off_path", False) for entry in side])
            self.plans.append(scaled(x)[0]), self.below.append(scaled(x)[1])
        for i, (x, y) in enumerate((self.plans, self.plans[::-1])):
            self.best.append(Fraction(game.earnings(i, [y])[0][0][0], self.below[1 - i] * game.scale[i]))
            earned = sum(a * b for a, b in zip(game.gains(i, x), y))
            self.values.append(Fraction(earned, self.below[0] * self.below[1] * game.scale[i]))
        need(stated["values"] == self.values, "C4", "values")
    def check(self):  # The method tests C6 to C8 and the rules N1, V and M, and returns what is proven
        kind, limited, bounds = self.certificate.get("kind"), self.status == "limit-reached", self.bounds
        need(not limited or (self.refutation and (kind == "best-response" or not self.certificate)), "C8", "refutation")
        if not limited:
            known = type(kind) is not str or kind in sum(KINDS.values(), [])
            if not known or (kind == "basis" and self.concept == "perfect"): raise Answer(3, f"certificate.kind {kind}")
            need(kind in KINDS[self.concept], "C6", f"certificate.kind {kind}")
            need(self.status != "certified" or self.best == self.values, "N1", "a player gains by a best response")
        if self.game.sum is None: need(bounds is None and self.status != "bounded", "V1", "bounds")
        elif self.status == "certified": need(bounds == [self.values[0]] * 2, "V2 or V3", "bounds")
        elif bounds: need(bounds[0] <= self.game.sum - self.best[1] and bounds[1] >= self.best[0], "V3", "bounds")
        else: need(limited, "V2", "bounds")
        rule = {"nash": "M1" if self.certificate else "M2", "normal-form-perfect": "M2", "proper": "M2"}.get(
            self.concept, "M3")
        for mark, avoided in ((mark, self.plans[i][before] == 0) for i in (0, 1)
                              for mark, before in zip(self.marks[i], self.game.before[i])):
            need(mark == avoided if rule == "M1" else not mark or (rule == "M2" and avoided), rule, "off_path")
        more = getattr(self, "check_" + kind.replace("-", "_"))() if kind else ""
        proven = [] if limited else [(self.concept if self.status == "certified" else "bounds") + (more or "")]
        return ", ".join(proven + ([] if self.refutation is None else [f"not {self.refute()}"]))
    def data(self, **form): return fit(self.certificate, {"kind": str} | form, "certificate")
    def check_best_response(self):  # The method tests N2, and for subgame-perfect G2
        _, gain, best = self.data(nash_conv=number, best_response_values=(number, number)).values()
        need(best == self.best and gain == sum(self.best) - sum(self.values), "N2", "certificate")
        roots, earned = self.subgames() if self.concept == "subgame-perfect" else ((), ())
        for v, i in ((v, i) for v in roots for i in (0, 1)):
            need(self.cut_best(i, v, roots, earned) == earned[v][i], "G2", f"player {i + 1} gains at node {v}")
    def branches(self, h):  # The method returns the probabilities and the children of a node
        (who, what), game = self.game.nodes[h], self.game
        chances = game.chance[what][1] if who == CHANCE else [self.sigma[who][q] for q in game.moves[who][what]]
        return list(zip(chances, game.children[h]))
    def subgames(self):  # The method finds the roots of the subgames, and what both players earn from each node on
        game, roots, n = self.game, set(), len(self.game.nodes)
        low, high, end, earned = list(range(n)), list(range(n)), list(range(n)), [what for _, what in game.nodes]
        for h in (h for h in reversed(range(n)) if game.children[h]):
            (who, what), below = game.nodes[h], game.children[h]
            ends = game.members[who][what] if who != CHANCE else [h]  # low, high: ends of the sets that occur from h on
            low[h], high[h] = min([ends[0]] + [low[j] for j in below]), max([ends[-1]] + [high[j] for j in below])
            end[h] = end[below[-1]]
            earned[h] = [sum(p * earned[child][i] for p, child in self.branches(h) if p) for i in (0, 1)]
            if h <= low[h] and high[h] <= end[h] and game.reach[h] > 0: roots.add(h)
        return roots, earned
    def cut_best(self, i, v, roots, earned):  # The method computes the best response in the cut subgame of v
        game, u, sets, stack = self.game, collections.Counter(), {}, [(v, 1, 0)]
        while stack:
            h, reach, q = stack.pop()
            who, what = game.nodes[h]
            if who == LEAF or (h in roots and h != v): u[q] += reach * earned[h][i]
            elif who == i:
                sets[what] = q
                stack += [(child, reach, r) for child, r in zip(game.children[h], game.moves[i][what])]
            else: stack += [(child, reach * p, q) for p, child in self.branches(h) if p]
        for k in sorted(sets, reverse=True): u[sets[k]] += max(u[q] for q in game.moves[i][k])
        return u[0]
    def trembles(self, weights, orders, words):  # The method reads a word or a list of numbers for each player
        def sides(value, form, place):
            for i, side in enumerate(fit(value, (None, None), place)):
                rows = [(form,) * len(moves) for moves in self.game.moves[i]]
                yield side if words and side in ("any", "none") else [1] + sum(fit(side, tuple(rows), place), [])
        need(weights != "any" or orders is None, "P1", "orders")
        ones = [[1] * size for size in self.game.size]
        if weights == "any" and words: weights = ["any", "any"]
        weights = ones if weights is None else list(sides(weights, partial(number, least=0), "trembles"))
        if orders is None: return weights, ones
        orders = list(sides(orders, lambda k, _: need(type(k) is int and 0 < k < 10**18, "orders", k) or k, "orders"))
        need(all(a == b or type(a) is type(b) is list for a, b in zip(weights, orders)), "P1", "trembles and orders")
        return weights, orders
    def rows(self): return {name: [(whole,) * size] for name, size in zip("XY", self.game.size)}
    def check_polynomials(self):  # The method tests the rules P, E, D and S1 of certificates of kind polynomials
        game, limits, loose = self.game, self.concept != "normal-form-perfect", [False, False]
        stated = self.data(**self.rows(), **{"denominator": (whole, whole), "trembles": None, "orders?": None})
        weights, orders = self.trembles(stated["trembles"], stated.get("orders"), True)
        plans, below = [stated["X"], stated["Y"]], stated["denominator"]
        need(min(below) > 0 and all(plans), "data", "denominator, or no degrees")
        if self.concept == "one-sided-quasi-perfect": loose = [side == "none" for side in weights]
        need(not limits or weights.count("none") == (self.concept == "one-sided-quasi-perfect"), "P2 or E1", "trembles")
        need(self.concept != "perfect" or game.simple, "P9", "a player moves twice on a path")
        for i, plan in enumerate(plans):
            need([row[0] for row in plan] == [below[i]] + [0] * (len(plan) - 1), "P3", "XY"[i])
            for row in plan: game.flows(i, row, "P4")
        for i in (0, 1):
            apart = self.slack(i, plans[i], below[i], weights[i], orders[i], loose[i])
            u, V = game.earnings(i, plans[1 - i])
            for q, k in list(enumerate(game.set_of[i]))[1:]:
                played = self.sigma[i][q] > 0 and (limits or self.plans[i][game.before[i][k]] > 0)
                tested = q in apart if limits and type(weights[i]) is list else played
                need(not tested or u[q] == V[k], "P6" if limits else "D2", f"player {i + 1}, sequence {q}")
        leading = [self.leading(i, plans[i]) for i in (0, 1)] if limits else None
        if self.concept == "sequential": self.check_assessment(leading)
        return f" in which player {loose.index(True) + 1} makes no mistakes" if any(loose) else None
    def slack(self, i, plan, below, weights, orders, loose):  # The method tests P5, and returns the q with x_q != l_q
        found, power, product, listed = set(), [0], [1], type(weights) is list
        for q, k in list(enumerate(self.game.set_of[i]))[1:]:
            before = self.game.before[i][k]
            power.append(power[before] + orders[q] if listed else 0)
            small = listed and power[q] < len(plan)
            product.append(product[before] * weights[q] if small else 0)
            tremble, times = below * product[q].numerator, product[q].denominator
            rest = [row[q] * times - (tremble if d == power[q] else 0) for d, row in enumerate(plan)]  # x_q - l_q
            sign = next((a for a in rest if a), 0)
            need(sign > 0 or (sign == 0 and (loose or small)), "P5", f"player {i + 1}, sequence {q}")
            if sign: found.add(q)
        return found
    def leading(self, i, plan):  # The method tests P7, and returns orders and leading coefficients
        found = [next(((d, a) for d, a in enumerate(column) if a), (None, 0)) for column in zip(*plan)]
        for k, (d, amount) in enumerate(found[before] for before in self.game.before[i]):
            need(d is None or all(self.sigma[i][q] * amount == plan[d][q] for q in self.game.moves[i][k]), "P7", f"{k}")
        return found
    def check_consistent_trembles(self):  # The method computes the leading terms, and tests S2 to S4
        (_, *stated), leading = self.data(trembles=None, orders=None).values(), []
        weights, orders = self.trembles(*stated, False)
        for i in (0, 1):
            powers, amounts = [0], [1]
            for q, k in list(enumerate(self.game.set_of[i]))[1:]:
                before, p = self.game.before[i][k], self.sigma[i][q]
                powers.append(powers[before] + (0 if p else orders[i][q]))
                amounts.append((p or weights[i][q]) * amounts[before])
            leading.append(list(zip(powers, scaled(amounts)[0])))
        self.check_assessment(leading)
    def check_assessment(self, leading):  # The method tests the beliefs (S2, S3), and that play is best (S4)
        need(self.beliefs is not None, "S2", "beliefs")
        for i, entries, game in zip((0, 1), self.beliefs, (self.game, self.game)):
            terms, least, u = leading[1 - i], [], [0] * game.size[i]
            need([entry["infoset"] for entry in entries] == list(range(1, len(game.sets[i]) + 1)), "S2", "infoset")
            for k, entry in enumerate(entries):
                nodes, place = [(h, *terms[game.seq[1 - i][h]]) for h in game.members[i][k]], f"set {k + 1}"
                least.append(min((o for h, o, _ in nodes if game.weight[h]), default=None))
                mass = [game.weight[h] * m * (o == least[k]) for h, o, m in nodes if least[k] is not None]
                need(len(entry["nodes"]) == len(mass), "S2", place)
                for (h, _, _), part, (path, p) in zip(nodes, mass, entry["nodes"]):
                    while path and h and game.step[h] == path[-1]:
                        path, h = path[:-1], game.parent[h]
                    need(h == 0 and not path and p * sum(mass) == part, "S2 or S3", place)
            for k in reversed(range(len(least))):
                for q in game.moves[i][k]:
                    u[q] += sum(a * terms[r][1] for r, a in game.U[i][q] if terms[r][0] == least[k])
                best, before = max(u[q] for q in game.moves[i][k]), game.before[i][k]
                good = all(u[q] == best for q in game.moves[i][k] if self.sigma[i][q])
                need(least[k] is None or good, "S4", f"player {i + 1}, set {k + 1}")
                if before and least[game.set_of[i][before]] == least[k]: u[before] += best
    def check_backward_induction(self):  # The method tests the rules I
        game, (weights, _) = self.game, self.trembles(self.data(trembles=None)["trembles"], None, False)
        earned = [[[a] for a in what] if who == LEAF else None for who, what in game.nodes]
        need(all(len(nodes) == 1 for table in game.members for nodes in table), "I1", "a set with several nodes")
        for h in (h for h in reversed(range(len(earned))) if game.children[h]):
            (who, what), branches, earned[h] = game.nodes[h], self.branches(h), []
            best = next((child for p, child in branches if p == 1 and who != CHANCE), None)
            need(who == CHANCE or best is not None, "I2", f"node {h}")
            for j in (0, 1):
                parts = [(p, 0, earned[child][j]) for p, child in branches]
                if who != CHANCE:
                    gains = [mix([(1, 0, earned[child][j]), (-1, 0, earned[best][j])]) for _, child in branches]
                    need(j != who or all(next((a for a in gain if a), 0) <= 0 for gain in gains), "I4", f"node {h}")
                    moves = () if j == who and self.concept == "quasi-perfect" else game.moves[who][what]
                    parts = [(1, 0, earned[best][j])] + [(weights[who][q], 1, gain) for q, gain in zip(moves, gains)]
                earned[h].append(mix(parts))
            for _, child in branches: earned[child] = None
    def costs(self, i):  # The method computes the costs of player i's sequences, in integers
        cost, (u, V) = [0], self.game.earnings(i, [self.plans[1 - i]])
        for q, k in list(enumerate(self.game.set_of[i]))[1:]:
            cost.append(cost[self.game.before[i][k]] + V[k][0] - u[q][0])
        return cost
    def check_ranked_plans(self):  # The method tests the rules R
        game, (_, *plans) = self.game, self.data(**self.rows()).values()
        need(all(plans) and (game.sum is not None or max(map(len, game.sets)) <= 1), "R6", "no plans, or no theorem")
        for i, z in ((i, z) for i in (0, 1) for z in plans[i]):
            need(z[0] > 0 and min(z) >= 0, "R1", "XY"[i])
            game.flows(i, z, "R1")
        for i in (0, 1) if game.sum is not None else ():
            cost, covered, gains = self.costs(1 - i), {0}, game.gains(i, self.plans[i])
            for n, z in enumerate(plans[1 - i]):
                good = sum(a * b for a, b in zip(gains, z)) == game.earnings(i, [z])[0][0][0] * self.below[i]
                need(good, "R2", f"plan {n + 1} of player {2 - i}")
                worst = max(c for c, a in zip(cost, z) if a)
                covered.update(q for q, a in enumerate(z) if a and cost[q] == worst)
            need(len(covered) == len(cost), "R3", f"player {2 - i}")
        for i in (0, 1) if game.sum is None else ():
            mixtures = [[self.plans[j]] + [[self.below[j] * a for a in z] for z in plans[j]] for j in (0, 1)]
            degrees = [next((d for d, a in enumerate(column) if a), None) for column in zip(*mixtures[i])]
            need(None not in degrees, "R4", f"player {i + 1}")
            pairs = list(zip(game.earnings(i, mixtures[1 - i])[0], degrees))[1:]
            need(all(d > e for worse, d in pairs for better, e in pairs if worse < better), "R5", f"player {i + 1}")
    def refute(self):  # The method tests the rules F, and returns the disproven concept
        game, stated, kind = self.game, self.refutation, self.refutation.get("kind")
        if type(kind) is str and kind not in REFUTED: raise Answer(3, f"refutations of kind {kind}")
        need(type(kind) is str and stated.get("concept") in REFUTED[kind], "F1", "refutation")
        i, concept = stated.get("player", 1), stated["concept"]
        need(type(i) is int and i in (1, 2), "F2", "player")
        i, o = i - 1, 2 - i
        change, n, m = ascending(1, game.size[i] - 1, True), game.size[i] - 1, game.size[o] - 1
        form = {"best-response": {}, "subgame": {"path": [str]}, "reply": {"infoset": int}, "dominated": {
            "deviation": change} | ({"cost?": number} if concept == "proper" else {}), "mistakes": {
            "blocked": ascending(0, n), "tight": ascending(1, m), "deviation": ascending(1, m, True), "ratio": change,
            "flow": ascending(1, len(game.sets[i]), True)}}[kind] | ({"player": int} if kind != "best-response" else {})
        stated = fit(stated, form | {"concept": str, "kind": str}, "refutation")
        getattr(self, "refute_" + kind.replace("-", "_"))(i, o, stated)
        return concept + f" in which player {o + 1} makes no mistakes" * (kind != "best-response" and "one-" in concept)
    def refute_best_response(self, *_): need(self.best != self.values, "F3", "no gain")
    def refute_subgame(self, i, _, stated):  # The method tests F4 and F5
        v, (roots, earned) = 0, self.subgames()
        for label in stated["path"]:
            v = next((child for child in self.game.children[v] if self.game.step[child] == label), len(earned) - 1)
        need(v in roots and self.cut_best(i, v, roots, earned) > earned[v][i], "F4 or F5", "no root, or no gain")
    def refute_reply(self, i, o, stated):  # The method tests F6
        k, (u, V) = stated["infoset"] - 1, self.game.earnings(i, [self.plans[o]])
        need(0 <= k < len(V) and any(self.sigma[i][q] and u[q] < V[k] for q in self.game.moves[i][k]), "F6", "infoset")
    def refute_dominated(self, i, o, stated):  # The method tests F7 and F8
        game, d, allowed, greatest = self.game, stated["deviation"], [True] * self.game.size[o], []
        game.flows(i, d, "F7")
        need(all(change >= 0 for change, a in zip(d, self.plans[i]) if not a), "F7", "deviation")
        if "cost" in stated:
            allowed = [cost <= stated["cost"] * self.below[i] * game.scale[o] for cost in self.costs(o)]
        for sign in (1, -1):
            u = [sign * a for a in game.gains(i, d)]
            for k in reversed(range(len(game.sets[o]))):  # at a set that is not allowed, no action is
                u[game.before[o][k]] += max((u[q] for q in game.moves[o][k] if allowed[q]), default=0)
            greatest.append(u[0])
        need(allowed[0] and -greatest[1] >= 0 and greatest[0] > 0, "F8", "the change does not dominate")
    def refute_mistakes(self, p, o, stated):  # The method tests F9 to F13
        game, concept, blocked, w = self.game, stated["concept"], set(stated["blocked"]), stated["deviation"]
        flow, ratio, played = stated["flow"][1:], stated["ratio"], self.sigma[o]
        game.flows(o, w, "F10")
        need(all(a >= 0 for a, chance in zip(w, played) if not chance), "F10", "deviation")
        compares = concept in ("quasi-perfect", "one-sided-quasi-perfect") or (concept == "perfect" and game.simple)
        tight = [q for q, a in enumerate(w) if a > 0 and not played[q]] if compares else []
        need(blocked and stated["tight"] == tight, "F9 or F11", "blocked or tight")
        for k, nodes in enumerate(game.members[o] if not compares else ()):
            reached = any(game.weight[h] and game.seq[p][h] not in blocked for h in nodes)
            need(not reached or not any(w[q] for q in game.moves[o][k]), "F11", f"set {k + 1}")
        alpha = [Fraction(a, game.scale[o]) for a in game.gains(o, w)]
        for k, before in enumerate(game.before[p]):
            alpha[before] -= flow[k]
            for q in game.moves[p][k]:
                need(not ratio[q] or before in blocked, "F12", f"sequence {q}")
                alpha[q] += flow[k] - ratio[q]
                alpha[before] += self.sigma[p][q] * ratio[q]
        need(all(a > 0 if q in blocked else a == 0 for q, a in enumerate(alpha)), "F13", "alpha")
def mix(parts):  # The function adds polynomials, each of them times a number and a power of epsilon
    found = [0] * max(power + len(polynomial) for _, power, polynomial in parts)
    for times, power, polynomial in parts:
        for d, a in enumerate(polynomial if times else ()): found[d + power] += times * a
    while len(found) > 1 and not found[-1]: found.pop()
    return found
def read_game(path):  # The function reads a game file
    read = {"efg": read_efg_game, "json": read_json_game}.get(str(path).rpartition(".")[2])
    if not read: raise Answer(3, f"the game {path}")
    return Game(*read(open(path, "rb").read()))
def check(game, data):  # The function checks the bytes of a solution file, and returns what is proven
    stated = read_json(data, "file")
    if type(stated) is dict and stated.get("schema") == "tremble/equilibria@1": raise Answer(3, "lists of equilibria")
    return Solution(game, stated).check()
def verdict(function):  # The function calls a function, and returns an exit code and a message
    try: return 0, function()
    except Answer as answer: return answer.args
    except OSError as error: return 2, str(error)
    except UnicodeError: return 1, "J1 or J5: the text is not UTF-8, or has an unpaired surrogate"
    except (MemoryError, RecursionError): return 3, "the check costs too much"
def stop(*_): raise Answer(3, "the check takes too long")
def main(arguments):  # The function runs the checker, with limits on time and memory
    signal.signal(signal.SIGALRM, stop), signal.alarm(900), resource.setrlimit(resource.RLIMIT_AS, (2**33, 2**33))
    code, message = (2, __doc__) if len(arguments) != 2 else verdict(
        lambda: check(read_game(arguments[0]), open(arguments[1], "rb").read()))
    print(("accepted", "refused", "unreadable", "not supported")[code] + ": " + message)
    return code
if __name__ == "__main__": sys.exit(main(sys.argv[1:]))
