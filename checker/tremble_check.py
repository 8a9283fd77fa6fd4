"""A second checker of solution files of tremble, written from the page docs/reference/certificates.md alone.
Usage: python tremble_check.py GAME SOLUTION
Exit codes: 0 accepted, 1 refused, 2 unreadable file or wrong usage, 3 not supported.
The page is the specification tremble/certificate@1. Here are its symbols (U, u, V, sigma) and its rules, such as C2.
Sequences have the numbers of the page, but players are 0 and 1, and sets begin with 0. A plan is a list of integers;
its denominator is elsewhere. A polynomial is a list of coefficients; a plan of polynomials is a list of plans.
"""
import collections, hashlib, itertools, json, math, os, pathlib, re, sys, threading
from fractions import Fraction
from functools import partial
from types import SimpleNamespace
try: import resource
except ImportError: resource = None  # Windows cannot limit the memory of a program
CHANCE, LEAF = 2, 3  # who moves at a node: player 0, player 1, chance, or nobody
HARD = ["quasi-perfect", "sequential", "perfect"]
KINDS = {"nash": ["best-response"], "subgame-perfect": ["best-response"], "one-sided-quasi-perfect": ["polynomials"],
         "quasi-perfect": ["polynomials", "backward-induction"], "normal-form-perfect": ["polynomials"],
         "perfect": ["polynomials", "backward-induction"], "proper": ["ranked-plans"],
         "sequential": ["polynomials", "consistent-trembles"], "maxmin": []}  # the supported certificates of a concept
REFUTED = {"best-response": [*KINDS][:-1], "subgame": ["subgame-perfect", *HARD], "reply": ["one-sided-quasi-perfect"],
           "dominated": ["normal-form-perfect", "proper"], "mistakes": ["one-sided-quasi-perfect", *HARD]}
class AnswerError(Exception): """The end of a check: an exit code and a message."""
def need(condition, rule, place):  # refuses the file unless a rule holds at a place
    if not condition: raise AnswerError(1, f"{rule}: {place}")
# ---- Numbers and JSON ----
NUMBER = re.compile("(-?N)(?:/(N))?".replace("N", "(?:0|[1-9][0-9]{0,3999}|0x[1-9a-f][0-9a-f]*)"))
def read_json(data):  # parses a JSON text (J1, J2, J4, J5)
    def members(pairs):
        exact = all(type(value) is not float or key.endswith("_float") for key, value in pairs)
        need(exact and len(dict(pairs)) == len(pairs), "J2 or J4", "a decimal point, or a key that occurs twice")
        return dict(pairs)
    def integer(text):
        need(len(text.lstrip("-")) <= 18, "J4", "an integer is too long")
        return int(text)
    found = json.loads(data.decode("utf-8-sig"), object_pairs_hook=members, parse_int=integer,
                       parse_constant=partial(need, False, "J4"))
    json.dumps(found, ensure_ascii=False).encode()  # fails if a surrogate is unpaired
    return found
def fit(value, form, place):
    """Read a value of a form (J3, J6). A form is a type, or `object` for any value; a function that reads a value;
    [form] for a list; (form, form) for a list of fixed length; {name: form} for an object. Fields whose names end
    with "?" may be absent, and are then None."""
    if type(form) is dict:
        names = {name.rstrip("?"): name for name in form}
        known = type(value) is dict and value.keys() <= names.keys()
        need(known and all(name in value or name + "?" in form for name in names), "J3", f"fields of {place}")
        return {name: fit(value[name], form[names[name]], f"{place}.{name}") if name in value else None
                for name in names}
    if type(form) in (list, tuple):
        need(type(value) is list and (type(form) is list or len(value) == len(form)), "J3", f"length of {place}")
        return [fit(*pair, place) for pair in zip(value, form if type(form) is tuple else form * len(value))]
    if not isinstance(form, type): return form(value, place)
    need(form is object or type(value) is form, "J3", f"{place} has the wrong type")
    return value
def maybe(form): return lambda value, place: None if value is None else fit(value, form, place)  # allows null, too
def number(value, place, longest=200_000, whole=False):  # reads an exact number (J7 to J9)
    match = NUMBER.fullmatch(value) if type(value) is str and len(value) <= longest else None
    need(match and value != "-0", "J7 or J8", f"{place} is not an exact number")
    above, below = int(match[1], 0), int(match[2] or "1", 0)
    need(not match[2] or (not whole and below > 1 and math.gcd(above, below) == 1), "J8 or J9", place)
    return Fraction(above, below) if match[2] else above
WHOLE, SHORT = partial(number, whole=True), partial(number, longest=40_000)
def vector(pairs, size):  # makes a list of weights from ascending pairs of a sequence (or set) and a weight
    weights = dict(pairs)
    need([q for q, _ in pairs] == sorted(weights.keys() & range(1, size)), "F1", "sequences or sets")
    return [weights.get(q, 0) for q in range(size)]
def scaled(values):  # returns integers, and the common denominator that makes them equal to the values
    below = math.lcm(*{value.denominator for value in values})
    return [value.numerator * (below // value.denominator) for value in values], below
def are_chances(values):  # tests that no value is negative, and that their sum is 1
    amounts, below = scaled(values)
    return min(amounts) >= 0 and sum(amounts) == below
# ---- Games: a reader returns a table for player 0, player 1 and chance, with the labels and probabilities (or None) of
# each set; and a list of nodes: who moves, the number of the set, and payoffs that each path through the node adds ----
def read_json_node(value, place):
    if type(value) is list and value[:1] == ["t"]: return LEAF, None, fit(value[1:], (SHORT, SHORT), place)
    who, k = fit(value, (str, int), place)
    need(who in ("p1", "p2", "c"), "J3", f"{place}: {who}")
    return ("p1", "p2", "c").index(who), k - 1, (0, 0)
def read_json_game(data):
    sets, chance = [{"label": str, "actions": [str]}], [{"actions": [str], "probabilities": [SHORT]}]
    stated = fit(read_json(data), {"schema": str, "title": str, "players": (str, str), "infosets": (sets, sets),
                                   "chance": chance, "nodes": [read_json_node]}, "game")
    tables = [[(entry["actions"], None) for entry in table] for table in stated["infosets"]]
    tables.append([(entry["actions"], entry["probabilities"]) for entry in stated["chance"]])
    need(stated["schema"] == "tremble/game@1", "J3", "game.schema")
    return tables, stated["nodes"]
def pattern(text):  # makes a regular expression from the grammar of .efg files, in which a blank stands for any blanks
    digits, point = "[0-9]{1,4300}+", r"(?!(?:\.?[0-9]){4301})(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)"
    exponent = "(?:[eE][+-]?0*(?:[0-9]{1,3}|[0-3][0-9]{3}|4[0-2][0-9]{2}|4300)(?![0-9]))?"
    number = rf"[+-]?(?>{digits}/(?!0+(?![0-9])){digits}|{point}{exponent})END"
    for name, part in ((" ", "[ \t\r\n]*+"), ("TEXT", r'"(?:\\["\\]|[^"])*+"'), ("NUM", number),
                       ("INT", "[+-]?[0-9]{1,18}+END"), ("END", "(?![0-9.+/-]|[eE][+-]?[0-9])")):
        text = text.replace(name, part)
    return re.compile(text)
HEAD, MOVE = pattern(r" EFG 2 [RD] TEXT \{ TEXT ,?+ TEXT ,?+ \}(?: TEXT)?+"), pattern(r" (TEXT)(?: (NUM))?+ ,?+")
NODE = pattern(r" (?:(?P<leaf>t) TEXT|(?:c TEXT|p TEXT (?P<player>[12])END) (?P<key>INT)(?: TEXT)?+"
               r"(?P<all> \{(?P<moves>(?: TEXT(?: NUM)?+ ,?+)*+) \})?+) (?P<outcome>INT)(?: TEXT|(?! \"))"
               r"(?:(?P<paid> \{ (?P<first>NUM) ,?+ (?P<second>NUM) ,?+ \})|(?! \{))")
def unescape(match):  # replaces an escape in a string of an .efg file
    if match[1]: return match[1]
    return match[0] if int(match[2]) > 0x10FFFF or 0xD800 <= int(match[2]) < 0xE000 else chr(int(match[2]))
def rename(labels):  # replaces empty and repeated labels of an .efg file
    found, taken = list(labels), set(labels)
    for a, label in enumerate(labels):
        if label == "" or labels.count(label) > 1:
            found[a] = next(text for n in itertools.count(1) if (text := f"{label}_{n}") not in taken)
            taken.add(found[a])
    return found
def read_efg_game(data):
    text, tables, nodes, known, outcomes, missing = data.decode(), [[], [], []], [], {}, {0: [0, 0]}, 1
    match = HEAD.match(text) if "\0" not in text else None
    while missing > 0:  # the number of nodes without text
        match, place = match and NODE.match(text, match.end()), f"node {len(nodes) + 1}"
        need(match, "efg", f"{place}, or the text before it, does not match the grammar")
        who, k, old = LEAF if match["leaf"] else int(match["player"] or CHANCE + 1) - 1, None, []
        if who != LEAF:
            entries, key = MOVE.findall(match["moves"] or ""), (who, int(match["key"]))
            labels = [re.sub(r'\\(["\\])|&#([0-9]{1,7});', unescape, label[1:-1]) for label, _ in entries]
            chances = [Fraction(chance) for _, chance in entries if chance] or None
            need(all(bool(chance) == (who == CHANCE) for _, chance in entries), "efg", f"probabilities of {place}")
            if key not in known: tables[who].append((rename(labels), chances))
            k, old = known.setdefault(key, (len(tables[who]) - 1, labels))
            same = labels in (old, tables[who][k][0]) and chances == tables[who][k][1]
            need(same or not match["all"], "efg", f"{place} has other actions than its set")
        payoffs = [Fraction(match["first"]), Fraction(match["second"])] if match["paid"] else None
        outcome = outcomes.setdefault(int(match["outcome"]), payoffs)
        need(outcome and payoffs in (None, outcome), "efg", f"outcome of {place}")
        nodes.append((who, k, outcome))
        missing += len(old) - 1
    return tables, nodes
class Game:  # U and the products of chances (c_h: weight) are integers; `scale` is the denominator of U of a player
    def __init__(self, tables, nodes):  # tests T1 to T4, and makes the nodes and the sets
        self.nodes, self.sets, self.size, unfinished = [], [[], [], []], [1, 1, 1], []  # size: number of sequences
        for who, table in enumerate(tables):
            used = list(dict.fromkeys(k for mover, k, _ in nodes if mover == who))
            need(used == list(range(len(table))), "T2", "the numbers of the sets are not in the order of the nodes")
            for k, (labels, chances) in enumerate(table):
                need(labels and len(set(labels)) == len(labels), "T3", f"actions {labels}")
                need(chances is None or (len(chances) == len(labels) and are_chances(chances)), "T4", f"{labels}")
                name, moves = f"player {who + 1}, set {k + 1}", range(self.size[who], self.size[who] + len(labels))
                self.sets[who].append(SimpleNamespace(name=name, labels=labels, chances=chances, moves=moves, nodes=[]))
                self.size[who] += len(labels)
        for h, (who, k, payoffs) in enumerate(nodes):
            need(h == 0 or unfinished, "T1", f"node {h} is after the end of the tree")
            node = SimpleNamespace(h=h, who=who, k=k, payoffs=payoffs, path=[], seq=[0, 0, 0], reach=1, children=[])
            if unfinished:
                up, a = unfinished[-1], len(unfinished[-1].children)
                up.children.append(node)
                node.path, node.seq = [*up.path, up.set.labels[a]], list(up.seq)
                node.seq[up.who] = up.set.moves[a]
                node.payoffs = [a + b for a, b in zip(up.payoffs, payoffs)]
                node.reach = up.reach * up.set.chances[a] if up.who == CHANCE else up.reach
                if a + 1 == len(up.set.labels): unfinished.pop()
            if who != LEAF:
                node.set = self.sets[who][k]
                node.set.nodes.append(node)
                unfinished.append(node)
            self.nodes.append(node)
        need(nodes and not unfinished, "T1", "the list of nodes ends too early")
        self.add_numbers()
        self.digest = "sha256:" + hashlib.sha256("".join(map(self.line, self.nodes)).encode()).hexdigest()
    def add_numbers(self):  # computes before(k), c_h (weight), the constant sum, U, and the roots of subgames
        for own in self.sets[0] + self.sets[1]: own.before = own.nodes[0].seq[own.nodes[0].who]
        self.recall = all(node.seq[node.who] == node.set.before for node in self.nodes if node.who < CHANCE)
        self.simple = not any(own.before for own in self.sets[0] + self.sets[1])  # no player moves twice on a path
        weights, below = scaled([node.reach for node in self.nodes])
        for node, weight in zip(self.nodes, weights): node.weight = weight
        leaves = [node for node in self.nodes if node.who == LEAF]
        sums = {sum(leaf.payoffs) for leaf in leaves}
        self.sum, self.U, self.scale = sums.pop() if len(sums) == 1 else None, [], []
        for i in (0, 1):
            payoffs, times = scaled([leaf.payoffs[i] for leaf in leaves])
            table = [collections.Counter() for _ in range(self.size[i])]
            for leaf, payoff in zip(leaves, payoffs): table[leaf.seq[i]][leaf.seq[1 - i]] += leaf.weight * payoff
            self.U.append([list(row.items()) for row in table])
            self.scale.append(below * times)
        for node in reversed(self.nodes):  # from low to high: the nodes of all sets that occur from this node on
            own = node.set.nodes if node.who < CHANCE else [node]
            node.low = min([own[0].h] + [child.low for child in node.children])
            node.high = max([own[-1].h] + [child.high for child in node.children])
            node.end = node.children[-1].end if node.children else node.h
            node.root = node.who != LEAF and node.reach > 0 and node.h <= node.low and node.high <= node.end
    def line(self, node):  # writes a line of the digest
        words = [("p1", "p2", "c", "t")[node.who]] + ([str(node.k + 1)] if node.who < CHANCE else [])
        if node.who != LEAF: words.append(json.dumps(node.set.labels, ensure_ascii=False))
        for value in node.payoffs if node.who == LEAF else node.set.chances or []:
            parts = [str(n) if abs(n) < 2**13287 else hex(n) for n in value.as_integer_ratio()]
            words.append("/".join(parts).removesuffix("/1"))
        return " ".join(words) + "\n"
    def earnings(self, i, rows):  # computes u_q and V_set(q) for each sequence q of player i, against polynomials
        u = [[sum([a * row[r] for r, a in entries]) for row in rows] for entries in self.U[i]]
        V = [None] * len(u)
        for own in reversed(self.sets[i]):
            best = max(u[q] for q in own.moves)
            for q in own.moves: V[q] = best
            u[own.before] = [a + b for a, b in zip(u[own.before], best)]
        return u, V
    def gains(self, i, x):  # computes the sum of x_q U_qr, for each sequence r of the opponent of player i
        found = [0] * self.size[1 - i]
        for weight, entries in zip(x, self.U[i]):
            for r, a in entries if weight else (): found[r] += weight * a
        return found
    def flows(self, i, x, rule):  # tests that the weights at each set sum to the weight before it
        for own in self.sets[i]: need(sum(x[q] for q in own.moves) == x[own.before], rule, own.name)
def leading(polynomial):  # returns the order and the leading coefficient, or None and 0
    return next(((d, a) for d, a in enumerate(polynomial) if a), (None, 0))
def mix(parts):  # adds polynomials, each of them times a number and a power of epsilon
    found = []
    for times, power, polynomial in parts:
        found += [0] * (power + len(polynomial) - len(found))
        for d, a in enumerate(polynomial): found[power + d] += times * a
    while found and not found[-1]: found.pop()
    return found
# ---- Solution files ----
class Solution:  # the fields of the file are attributes; plans are integers, and `below` are their denominators
    def __init__(self, game, stated):  # tests C1 to C5, and C9
        pair, beliefs = (number, number), [{"infoset": int, "nodes": [([str], number)]}]
        form = {"schema": str, "tremble": str, "game": {"spec": maybe(str), "title": str, "digest": maybe(str)},
                "concept": str, "requested": str, "method": {"name": str, "options": dict}, "status": str,
                "stats": dict, "values": pair, "bounds?": maybe(pair), "strategies": object, "certificate": dict,
                "beliefs?": maybe((beliefs, beliefs)), "refutation?": maybe(dict)}
        vars(self).update(fit(stated, form, "file"))
        allowed = {"certified": KINDS, "bounded": ["nash", "maxmin"], "limit-reached": ["nash"]}.get(self.status, [])
        need(self.schema == "tremble/solution@1" and self.concept in allowed and self.requested in KINDS, "C5", "names")
        both = self.strategies
        rules = type(both) is list and len(both) == 2 and all(type(side) is dict and "default" in side for side in both)
        if self.concept == "maxmin" or rules or (type(both) is dict and "npz" in both):
            raise AnswerError(3, "maxmin, or a game that is not a tree")
        fit(both, (list, list), "strategies")
        need(self.game["digest"] == game.digest and game.recall, "C1 or C3", "digest, or a player forgets")
        need(self.beliefs is None or self.concept == "sequential", "C9", "beliefs")
        self.game, self.sigma, self.plans, self.below = game, [None, None], [None, None], [None, None]
        for i in (0, 1): self.read_strategy(i)
        most = [game.earnings(i, [self.plans[1 - i]])[0][0][0] for i in (0, 1)]
        self.best = [Fraction(most[i], self.below[1 - i] * game.scale[i]) for i in (0, 1)]
        for node in reversed(game.nodes):  # w_i(h)
            node.earned = node.payoffs if node.who == LEAF else [sum(
                p * child.earned[i] for p, child in zip(node.set.chances, node.children) if p) for i in (0, 1)]
        need(self.values == game.nodes[0].earned, "C4", "values")
    def read_strategy(self, i):  # tests C2, and stores the probabilities at the sets of the game
        form = {"infoset": int, "label": str, "actions": [(str, number)], "off_path?": bool}
        side, sigma, x = self.entries(i, self.strategies[i], form, "C2"), [1], [1]
        for own, entry in zip(self.game.sets[i], side):
            own.chances, own.marked = [p for _, p in entry["actions"]], entry["off_path"] or False
            need([label for label, _ in entry["actions"]] == own.labels and are_chances(own.chances), "C2", own.name)
            own.avoided = x[own.before] == 0
            sigma += own.chances
            x += [p * x[own.before] for p in own.chances]
        self.sigma[i] = sigma
        self.plans[i], self.below[i] = scaled(x)
    def entries(self, i, value, form, rule):  # reads a list with one entry for each set of player i, in order
        found = fit(value, [form], rule)
        need([entry["infoset"] for entry in found] == [k + 1 for k in range(len(self.game.sets[i]))], rule, "infoset")
        return found
    def fields(self, form): return fit(self.certificate, {"kind": str} | form, "certificate")
    def check(self):  # tests C6 to C8 and the rules N1, V and M, and returns what is proven
        kind, limited, bounds = self.certificate.get("kind"), self.status == "limit-reached", self.bounds
        need(not limited or (self.refutation and (kind == "best-response" or not self.certificate)), "C8", "refutation")
        if not limited:
            known = any(kind in kinds for kinds in KINDS.values())
            if type(kind) is str and not known: raise AnswerError(3, f"certificates of kind {kind}")
            need(kind in KINDS[self.concept], "C6", f"certificate.kind {kind}")
        need(self.status != "certified" or self.best == self.values, "N1", "a player gains by a best response")
        if self.game.sum is None: need(bounds is None and self.status != "bounded", "V1", "bounds")
        elif self.status == "certified": need(bounds == [self.values[0]] * 2, "V2 or V3", "bounds")
        elif bounds: need(bounds[0] <= self.game.sum - self.best[1] and bounds[1] >= self.best[0], "V3", "bounds")
        else: need(limited, "V2", "bounds")
        loose = self.concept in ("nash", "normal-form-perfect", "proper")
        for own in self.game.sets[0] + self.game.sets[1]:
            if self.concept == "nash" and kind: need(own.marked == own.avoided, "M1", own.name)
            else: need(not own.marked or (loose and own.avoided), "M2 or M3", own.name)
        more = getattr(self, "check_" + kind.replace("-", "_"))() if kind else None
        proven = [] if limited else [(self.concept if self.status == "certified" else "bounds") + (more or "")]
        return ", ".join(proven + ([] if self.refutation is None else [f"not {self.refute()}"]))
    # ---- Kind best-response ----
    def check_best_response(self):  # tests N2, and for subgame-perfect G2
        _, gain, best = self.fields({"nash_conv": number, "best_response_values": (number, number)}).values()
        need(best == self.best and gain == sum(self.best) - sum(self.values), "N2", "certificate")
        for root in self.game.nodes if self.concept == "subgame-perfect" else ():
            for i in (0, 1): need(not root.root or self.cut_best(i, root) == root.earned[i], "G2", f"node {root.h}")
    def cut_best(self, i, root):  # computes b_i(v), a best response in the cut subgame of a root
        u, before, stack = collections.Counter(), {}, [(root, 1, 0)]
        while stack:
            node, weight, q = stack.pop()
            if node.who == LEAF or (node.root and node is not root): u[q] += weight * node.earned[i]
            elif node.who == i:
                before[node.k] = q
                stack += [(child, weight, r) for child, r in zip(node.children, node.set.moves)]
            else: stack += [(child, weight * p, q) for child, p in zip(node.children, node.set.chances) if p]
        for k in sorted(before, reverse=True): u[before[k]] += max(u[q] for q in self.game.sets[i][k].moves)
        return u[0]
    # ---- Kind polynomials ----
    def sides(self, value, form, words):  # reads, for each player, a number for each sequence, or a word
        if value is None: return [[1] * size for size in self.game.size[:2]]
        found = fit(value, (object, object), "P1")
        for i, side in enumerate(found):
            if words and side in ("any", "none"): continue
            forms = tuple((form,) * len(own.moves) for own in self.game.sets[i])
            found[i] = sum(fit(side, forms, "P1"), [1])
            need(min(found[i]) > 0, "P1", "a weight or an order is not positive")
        return found
    def trembles(self, stated, words=False):  # reads weights and orders (P1)
        value, orders = stated["trembles"], stated.get("orders")
        weights = ["any", "any"] if words and value == "any" else self.sides(value, number, words)
        sides = self.sides(orders, int, words)
        alike = all(a == b or type(a) is type(b) is list for a, b in zip(weights, sides))
        need(orders is None or (alike and value != "any"), "P1", "trembles and orders")
        return weights, sides
    def rows(self): return {name: [(WHOLE,) * size] for name, size in zip("XY", self.game.size)}
    def check_polynomials(self):  # tests the rules P, E, D and S1
        game, limits, one = self.game, self.concept != "normal-form-perfect", self.concept == "one-sided-quasi-perfect"
        stated = self.fields(self.rows() | {"denominator": (WHOLE, WHOLE), "trembles": object, "orders?": object})
        weights, orders = self.trembles(stated, words=True)
        need(not limits or weights.count("none") == one, "P2 or E1", "trembles")
        need(self.concept != "perfect" or game.simple, "P9", "a player moves twice on a path")
        plans = stated["X"], stated["Y"]
        for i, (plan, below) in enumerate(zip(plans, stated["denominator"])):
            need(plan and below > 0 and [row[0] for row in plan] == [below] + [0] * (len(plan) - 1), "P3", "XY"[i])
            for row in plan: game.flows(i, row, "P4")
        for i in (0, 1):
            loose = one and weights[i] == "none"
            more = self.signs(i, plans[i], stated["denominator"][i], weights[i], orders[i], loose)
            tested = self.plans[i] if not limits else self.sigma[i] if type(weights[i]) is str else more
            u, V = game.earnings(i, plans[1 - i])
            for q in range(1, game.size[i]): need(not tested[q] or u[q] == V[q], "P6 or D2", f"sequence {q}")
        terms = [self.limit(i, plans[i]) for i in (0, 1)] if limits else None
        if self.concept == "sequential": self.check_assessment(terms)
        return f" in which player {weights.index('none') + 1} makes no mistakes" if one else None
    def signs(self, i, plan, below, weights, orders, loose):  # tests P5, and returns the signs of x_q - l_q
        signs, power, product, listed = [1], [0], [1], type(weights) is list
        for own, q in ((each, q) for each in self.game.sets[i] for q in each.moves):
            power.append(power[own.before] + orders[q] if listed else len(plan))
            small, more = power[q] < len(plan), [row[q] for row in plan]
            product.append(product[own.before] * weights[q] if small else 0)
            if small: more[power[q]] -= below * product[q]
            signs.append(leading(more)[1])
            need(signs[q] > 0 or (signs[q] == 0 and (small or loose)), "P5", f"{own.name}, sequence {q}")
        return signs
    def limit(self, i, plan):  # tests P7, and returns the order and the leading coefficient of each sequence
        terms = [leading(column) for column in zip(*plan)]
        for own in self.game.sets[i]:
            d, amount = terms[own.before]
            for q in own.moves: need(d is None or self.sigma[i][q] * amount == plan[d][q], "P7", own.name)
        return terms
    # ---- Sequential equilibria ----
    def check_consistent_trembles(self):  # computes the leading terms of the trembles
        (weights, orders), terms = self.trembles(self.fields({"trembles": object, "orders": object})), []
        for i, sigma in enumerate(self.sigma):
            power, amount = [0], [1]
            for own in self.game.sets[i]:
                power += [power[own.before] + (0 if sigma[q] else orders[i][q]) for q in own.moves]
                amount += [amount[own.before] * (sigma[q] or weights[i][q]) for q in own.moves]
            terms.append(list(zip(power, scaled(amount)[0])))
        self.check_assessment(terms)
    def check_assessment(self, both):  # tests S2 to S4 with the order and the amount of each sequence of both players
        need(self.beliefs is not None, "S2", "beliefs")
        for i in (0, 1):
            terms, sets, orders = both[1 - i], self.game.sets[i], [None]
            for own, entry in zip(sets, self.entries(i, self.beliefs[i], object, "S2")):
                found = [(node, *terms[node.seq[1 - i]]) for node in own.nodes]
                own.order = min((d for node, d, _ in found if node.weight), default=None)
                amounts = [node.weight * m if d == own.order else 0 for node, d, m in found if own.order is not None]
                need(len(entry["nodes"]) == len(amounts), "S2", own.name)
                for node, amount, (path, p) in zip(own.nodes, amounts, entry["nodes"]):
                    need(path == node.path and p * sum(amounts) == amount, "S2 or S3", own.name)
                orders += [own.order] * len(own.moves)
            u = [sum(a * terms[r][1] for r, a in row if terms[r][0] == d) for row, d in zip(self.game.U[i], orders)]
            for own in reversed(sets):
                best = max(u[q] for q in own.moves)
                need(own.order is None or all(u[q] == best for q in own.moves if self.sigma[i][q]), "S4", own.name)
                if orders[own.before] == own.order: u[own.before] += best
    # ---- Kind backward-induction ----
    def check_backward_induction(self):  # tests the rules I
        weights, _ = self.trembles(self.fields({"trembles": object}))
        earned = {node.h: [[a] for a in node.payoffs] for node in self.game.nodes if node.who == LEAF}
        need(all(len(own.nodes) == 1 for own in self.game.sets[0] + self.game.sets[1]), "I1", "sets")
        for node in (node for node in reversed(self.game.nodes) if node.who != LEAF):
            below, chances = [earned.pop(child.h) for child in node.children], node.set.chances
            need(node.who == CHANCE or 1 in chances, "I2", node.set.name)
            earned[node.h] = []
            for j in (0, 1):
                parts = [(p, 0, u[j]) for p, u in zip(chances, below)]
                if node.who != CHANCE:
                    best = below[chances.index(1)][j]
                    changes = [mix([(1, 0, u[j]), (-1, 0, best)]) for u in below]
                    need(j != node.who or all(leading(change)[1] <= 0 for change in changes), "I4", node.set.name)
                    parts = [(weights[node.who][q], 1, change) for q, change in zip(node.set.moves, changes)]
                    parts = [(1, 0, best)] + (parts if j != node.who or self.concept == "perfect" else [])
                earned[node.h].append(mix(parts))
    # ---- Kind ranked-plans ----
    def costs(self, i):  # computes the cost of each sequence of player i, in integers
        cost, (u, V) = [0], self.game.earnings(i, [self.plans[1 - i]])
        for own in self.game.sets[i]: cost += [cost[own.before] + V[q][0] - u[q][0] for q in own.moves]
        return cost
    def check_ranked_plans(self):  # tests the rules R
        game, (_, *plans) = self.game, self.fields(self.rows()).values()
        one_shot = max(map(len, game.sets[:2])) <= 1
        need(all(plans) and (game.sum is not None or one_shot), "R6", "no plans, or no theorem")
        for i, z in ((j, z) for j in (0, 1) for z in plans[j]):
            need(z[0] > 0 and min(z) >= 0, "R1", "XY"[i])
            game.flows(i, z, "R1")
        for i in (0, 1):
            self.check_degrees(i, plans) if game.sum is None else self.check_costs(i, plans[1 - i])
    def check_costs(self, i, plans):  # tests R2 and R3 with plans of the opponent
        cost, covered, gains = self.costs(1 - i), {0}, self.game.gains(i, self.plans[i])
        for z in plans:
            best = self.game.earnings(i, [z])[0][0][0] * self.below[i]
            need(sum(a * b for a, b in zip(gains, z)) == best, "R2", f"a plan of player {2 - i}")
            worst = max(c for c, weight in zip(cost, z) if weight)
            covered.update(q for q, weight in enumerate(z) if weight and cost[q] == worst)
        need(len(covered) == len(cost), "R3", f"player {2 - i}")
    def check_degrees(self, i, plans):  # tests R4 and R5
        mixtures = [[self.plans[j]] + [[self.below[j] * a for a in z] for z in plans[j]] for j in (0, 1)]
        degrees = [leading(column)[0] for column in zip(*mixtures[i])]
        need(None not in degrees, "R4", f"player {i + 1}")
        pairs = list(zip(self.game.earnings(i, mixtures[1 - i])[0], degrees))[1:]
        need(all(d > e for worse, d in pairs for better, e in pairs if worse < better), "R5", f"player {i + 1}")
    # ---- Refutations. In each method, i is the stated player, and o is the other one. ----
    def refute(self):  # tests F1 and F2, and returns the disproven concept
        kind, concept, pairs = self.refutation.get("kind"), self.refutation.get("concept"), [(int, WHOLE)]
        if type(kind) is str and kind not in REFUTED: raise AnswerError(3, f"refutations of kind {kind}")
        need(type(kind) is str and concept in REFUTED[kind], "F1", "refutation")
        forms = {"best-response": {}, "subgame": {"path": [str]}, "reply": {"infoset": int},
                 "dominated": {"deviation": pairs, "cost?": number},
                 "mistakes": {"blocked": [int], "tight": [int], "deviation": pairs, "flow": pairs, "ratio": pairs}}
        player = {"player": int} if kind != "best-response" else {}
        stated = SimpleNamespace(**fit(self.refutation, {"concept": str, "kind": str} | player | forms[kind], kind))
        if kind == "best-response":
            need(self.best != self.values, "F3", "no gain")
            return concept
        need(stated.player in (1, 2), "F2", "player")
        getattr(self, "refute_" + kind)(stated.player - 1, 2 - stated.player, stated)
        return concept + f" in which player {3 - stated.player} makes no mistakes" * ("one-sided" in concept)
    def refute_subgame(self, i, o, stated):  # tests F4 and F5
        node = next((node for node in self.game.nodes if node.path == stated.path), None)
        need(node and node.root and self.cut_best(i, node) > node.earned[i], "F4 or F5", "no root, or no gain")
    def refute_reply(self, i, o, stated):  # tests F6
        u, V = self.game.earnings(i, [self.plans[o]])
        own = dict(enumerate(self.game.sets[i], start=1)).get(stated.infoset)
        need(own and any(self.sigma[i][q] and u[q] < V[q] for q in own.moves), "F6", "infoset")
    def refute_dominated(self, i, o, stated):  # tests F7 and F8
        d = vector(stated.deviation, self.game.size[i])
        self.game.flows(i, d, "F7")
        need(all(change >= 0 for change, x in zip(d, self.plans[i]) if not x), "F7", "deviation")
        most, greatest, gains = stated.cost, [], self.game.gains(i, d)
        need(most is None or stated.concept == "proper", "F1", "cost")
        allowed = [most is None or cost <= most * self.below[i] * self.game.scale[o] for cost in self.costs(o)]
        for sign in (1, -1):
            u = [sign * gain for gain in gains]
            for own in reversed(self.game.sets[o]):  # if a set is not allowed, neither are its actions
                u[own.before] += max((u[q] for q in own.moves if allowed[q]), default=0)
            greatest.append(u[0])
        need(allowed[0] and greatest[0] > 0 and greatest[1] <= 0, "F8", "the change does not dominate")
    def refute_mistakes(self, p, o, stated):  # tests F9 to F13
        game, sigma, blocked = self.game, self.sigma, set(stated.blocked)
        need(blocked and stated.blocked == sorted(blocked.intersection(range(game.size[p]))), "F9", "blocked")
        w, mu = vector(stated.deviation, game.size[o]), vector(stated.ratio, game.size[p])
        flow = vector(stated.flow, len(game.sets[p]) + 1)
        game.flows(o, w, "F10")
        need(all(weight >= 0 or chance for weight, chance in zip(w, sigma[o])), "F10", "deviation")
        compares = "quasi-perfect" in stated.concept or (stated.concept == "perfect" and game.simple)
        tight = [q for q, weight in enumerate(w) if weight > 0 and not sigma[o][q]] if compares else []
        need(stated.tight == tight, "F11", "tight")
        for own in game.sets[o] if not compares else ():
            reached = any(node.weight and node.seq[p] not in blocked for node in own.nodes)
            need(not reached or not any(w[q] for q in own.moves), "F11", own.name)
        alpha = [Fraction(gain, game.scale[o]) for gain in game.gains(o, w)]
        for own, amount in zip(game.sets[p], flow[1:]):
            alpha[own.before] -= amount
            for q in own.moves:
                need(not mu[q] or own.before in blocked, "F12", f"sequence {q}")
                alpha[q] += amount - mu[q]
                alpha[own.before] += sigma[p][q] * mu[q]
        need(all(a > 0 if q in blocked else a == 0 for q, a in enumerate(alpha)), "F13", "alpha")
def read_game(path):
    reader = {"efg": read_efg_game, "json": read_json_game}.get(str(path).rpartition(".")[2])
    if not reader: raise AnswerError(3, f"the game {path}")
    return Game(*reader(pathlib.Path(path).read_bytes()))
def check(game, data):  # checks the bytes of a solution file, and returns what is proven
    stated = read_json(data)
    if type(stated) is dict and stated.get("schema") == "tremble/equilibria@1": raise AnswerError(3, "a list")
    return Solution(game, stated).check()
def verdict(function):  # returns the exit code and the message of a check
    try: return 0, function()
    except AnswerError as answer: return answer.args
    except OSError as error: return 2, str(error)
    except json.JSONDecodeError as error: return 2, f"not JSON: {error}"
    except UnicodeError: return 1, "J1 or J5: the text is not UTF-8, or has an unpaired surrogate"
    except (MemoryError, RecursionError): return 3, "the check costs too much"
def main(arguments):  # checks a file, with at most 15 minutes and 8 GiB of memory
    timer = threading.Timer(900, lambda: (print("not supported: the check takes too long", flush=True), os._exit(3)))
    timer.daemon = True
    timer.start()
    if resource: resource.setrlimit(resource.RLIMIT_AS, (2**33, 2**33))
    if len(arguments) != 2: code, message = 2, __doc__
    else: code, message = verdict(lambda: check(read_game(arguments[0]), pathlib.Path(arguments[1]).read_bytes()))
    print(("accepted", "refused", "unreadable", "not supported")[code] + ": " + message)
    return code
if __name__ == "__main__": sys.exit(main(sys.argv[1:]))
