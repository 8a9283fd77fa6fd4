"""Mutations of solution files, which the second checker and the kernel must judge alike."""

import copy
import json
import random
import re
from fractions import Fraction

NUMBERS = [
    "0",
    "1",
    "-1",
    "1/2",
    "2",
    "1/3",
    "2/3",
    "-1/2",
    "2/4",
    "3/1",
    "-0",
    "1/0",
    "0/5",
    "+1",
    " 1",
    "0.5",
    "0x1",
    "0xa",
    "0X1",
    "1e3",
    "",
    "00",
    "01",
    "-0x2",
    "1/0x2",
    "1/-2",
    0,
    1,
    None,
    True,
    1.5,
    [],
    {},
]
CONCEPTS = [
    "nash",
    "subgame-perfect",
    "quasi-perfect",
    "one-sided-quasi-perfect",
    "sequential",
    "perfect",
    "normal-form-perfect",
    "proper",
    "maxmin",
    "other",
]
STATUS = ["certified", "bounded", "limit-reached", "other"]
KINDS = [
    "best-response",
    "polynomials",
    "consistent-trembles",
    "backward-induction",
    "ranked-plans",
    "basis",
    "subgame",
    "reply",
    "dominated",
    "mistakes",
    "other",
]
WHOLE = [0, 1, 2, 3, -1, True, False, None, "1", 10**17, 10**18, 10**19]
PARTS = ["values", "bounds", "strategies", "beliefs", "certificate", "refutation"]


def places(value, found, path=()):
    """Collect the paths of all values inside a value."""
    found.append(path)
    pairs = value.items() if type(value) is dict else enumerate(value) if type(value) is list else ()
    for key, inner in pairs:
        places(inner, found, (*path, key))
    return found


def at(value, path):
    """Return the value at a path."""
    for key in path:
        value = value[key]
    return value


def shifted(rng, text):
    """Change a number a little."""
    try:
        value = Fraction(text)
    except (ValueError, ZeroDivisionError):
        return rng.choice(NUMBERS)
    small = Fraction(1, rng.choice([1, 1, 2, 3, 10, 10**9]))
    return str(rng.choice([value + small, value - small, -value, value * 2, value / 2, 1 - value]))


def change_value(rng, data, path):
    """Change the value at a path."""
    if not path:
        return
    inner, key, old = at(data, path[:-1]), path[-1], at(data, path)
    if key in ("concept", "requested"):
        new = rng.choice(CONCEPTS)
    elif key == "status":
        new = rng.choice(STATUS)
    elif key == "kind":
        new = rng.choice(KINDS)
    elif type(old) is int:
        new = rng.choice([old + 1, old - 1, rng.choice(WHOLE)])
    elif type(old) is str and re.fullmatch(r"-?[0-9]+(/[0-9]+)?", old):
        new = rng.choice([shifted(rng, old)] * 3 + [rng.choice(NUMBERS)])
    elif type(old) is str:
        new = rng.choice([old + "x", "", "any", "none", old.upper(), None, 3])
    elif type(old) is bool:
        new = rng.choice([not old, not old, 1, None, "true"])
    elif old is None:
        new = rng.choice(
            ["any", "none", [], {}, "0", 0, [None, None], ["any", "none"], ["none", "any"], ["any", "any"]]
        )
    else:
        new = rng.choice([None, [], {}, "any", "none", old[:-1] if type(old) is list else {}])
    inner[key] = new


def change_list(rng, data, lists):
    """Swap, drop, double or shuffle the entries of a list."""
    path = rng.choice(lists)
    value = at(data, path)
    if not value:
        value.append(rng.choice(["0", 0, [], {}]))
        return
    n, m = rng.randrange(len(value)), rng.randrange(len(value))
    action = rng.choice(["swap", "swap", "drop", "double", "insert", "shuffle", "copy"])
    if action == "swap":
        value[n], value[m] = value[m], value[n]
    elif action == "drop":
        del value[n]
    elif action == "double":
        value.insert(n, copy.deepcopy(value[n]))
    elif action == "insert":
        value.insert(n, copy.deepcopy(value[m]))
    elif action == "copy":
        value[n] = copy.deepcopy(value[m])
    else:
        rng.shuffle(value)


def change_field(rng, data, objects):
    """Drop, add, rename or empty a field of an object."""
    value = at(data, rng.choice(objects))
    action = rng.choice(["drop", "add", "null", "rename", "known"])
    if action == "add":
        value["more"] = 1
    elif action == "known":
        value.update(
            rng.choice(
                [
                    {"off_path": True},
                    {"off_path": False},
                    {"orders": None},
                    {"bounds": None},
                    {"beliefs": None},
                    {"refutation": None},
                    {"cost": "0"},
                    {"trembles": "any"},
                    {"trembles": None},
                    {"trembles": ["any", "none"]},
                    {"trembles": ["none", "any"]},
                ]
            )
        )
    elif value:
        key = rng.choice(list(value))
        old = value.pop(key)
        if action == "null":
            value[key] = None
        elif action == "rename":
            value[key + "s"] = old


def move_weight(rng, data):
    """Move weight between two actions of a set, in a strategy or in a plan of the certificate."""
    side = rng.randrange(2)
    entries = data["strategies"][side]
    if not entries:
        return
    k = rng.randrange(len(entries))
    actions = entries[k]["actions"]
    a, b = rng.randrange(len(actions)), rng.randrange(len(actions))
    plan = data["certificate"].get("XY"[side])
    if rng.random() < 0.5 or not plan or type(plan[0]) is not list:
        share = Fraction(actions[a][1]) * Fraction(1, rng.choice([1, 2, 3]))
        for n, sign in ((a, -1), (b, 1)):
            actions[n][1] = str(Fraction(actions[n][1]) + sign * share)
        return
    first = 1 + sum(len(entry["actions"]) for entry in entries[:k])
    row = rng.choice(plan)
    amount = rng.choice([1, -1, 2, int(row[first + a])])
    for n, sign in ((a, -1), (b, 1)):
        row[first + n] = str(int(row[first + n]) + sign * amount)


def weights(rng, data, cell):
    """Make a table with a cell for each action."""
    return [[[cell(rng) for _ in entry["actions"]] for entry in side] for side in data["strategies"]]


def change_certificate(rng, data):
    """Change a certificate as a whole, often to one that proves the same."""
    certificate = data["certificate"]
    action = rng.randrange(7)
    if action == 0 and "denominator" in certificate:
        side = rng.randrange(2)
        times = rng.choice([2, 3, -1])
        certificate["XY"[side]] = [[str(int(text) * times) for text in row] for row in certificate["XY"[side]]]
        certificate["denominator"][side] = str(int(certificate["denominator"][side]) * times)
    elif action == 1 and type(certificate.get("X")) is list:
        name = rng.choice("XY")
        certificate[name].append(["0"] * len(certificate[name][0]))
    elif action == 2:
        certificate["trembles"] = weights(rng, data, lambda rng: rng.choice(["1", "1", "1/2", "2", "1/1000"]))
    elif action == 3:
        certificate["orders"] = weights(rng, data, lambda rng: rng.choice([1, 1, 1, 2, 3, 10**15]))
    elif action == 4:
        certificate["trembles"] = rng.choice([None, "any", ["any", "none"], ["none", "any"], ["none", "none"]])
    elif action == 5:
        data["certificate"] = {"kind": "backward-induction", "trembles": None}
        data["concept"] = rng.choice(["perfect", "quasi-perfect"])
        data.pop("beliefs", None)
    else:
        data["certificate"] = {
            "kind": "consistent-trembles",
            "orders": None,
            "trembles": rng.choice([None, weights(rng, data, lambda rng: rng.choice(["1", "1", "1/2", "2"]))]),
        }
        data["concept"] = "sequential"


def change_refutation(rng, data):
    """State a random refutation."""
    concept, player = rng.choice(CONCEPTS[:-1]), rng.choice([1, 2])
    sides = data["strategies"]
    sizes = [1 + sum(len(entry["actions"]) for entry in side) for side in sides]
    labels = [pair[0] for side in sides for entry in side for pair in entry["actions"]] or ["x"]
    kind = rng.choice(["best-response", "subgame", "reply", "dominated", "mistakes"])
    found = {"concept": concept, "kind": kind}
    if kind != "best-response":
        found["player"] = player
    if kind == "subgame":
        found["concept"] = rng.choice(["subgame-perfect", "quasi-perfect", "sequential", "perfect"])
        found["path"] = [rng.choice(labels) for _ in range(rng.randrange(4))]
    elif kind == "reply":
        found["concept"] = "one-sided-quasi-perfect"
        found["infoset"] = rng.randrange(0, len(sides[player - 1]) + 2)
    elif kind in ("dominated", "mistakes"):
        mover = player if kind == "dominated" else 3 - player
        entries = sides[mover - 1]
        change = {}
        if entries:
            k = rng.randrange(len(entries))
            first = 1 + sum(len(entry["actions"]) for entry in entries[:k])
            n = len(entries[k]["actions"])
            a, b = rng.randrange(n), rng.randrange(n)
            change = {first + a: 1, first + b: -1} if a != b else {}
        found["deviation"] = [[q, str(change[q])] for q in sorted(change)]
        if kind == "dominated":
            found["concept"] = rng.choice(["normal-form-perfect", "proper"])
            if rng.random() < 0.5:
                found["cost"] = rng.choice(["0", "1", "1/2", "-1"])
        else:
            found["concept"] = rng.choice(["quasi-perfect", "one-sided-quasi-perfect", "sequential", "perfect"])
            found["blocked"] = sorted(rng.sample(range(sizes[player - 1]), rng.randrange(sizes[player - 1] + 1)))
            found["tight"] = sorted(q for q in change if change[q] > 0)
            found["flow"], found["ratio"] = [], []
    data["refutation"] = found
    if rng.random() < 0.3:
        data.update(status="limit-reached", concept="nash", certificate={})
        data.pop("bounds", None), data.pop("beliefs", None)


def change_text(rng, text):
    """Change the raw text."""
    n = rng.randrange(len(text))
    return rng.choice(
        [
            lambda: text[:n] + text[n + 1 :],
            lambda: text[:n] + rng.choice('0123456789"{}[],:-/ ax') + text[n + 1 :],
            lambda: text[:n] + text[n] + text[n:],
            lambda: re.sub(r'("[a-z_]+": ?"[^"]*"),', r"\1, \1,", text, count=1),
            lambda: "\ufeff" + text,
            lambda: text + "x",
            lambda: text[:n],
            lambda: text.replace('"stats": {', '"stats": {"a": 1.5, ', 1),
            lambda: text.replace('"stats": {', '"stats": {"a_float": 1.5, "b": [NaN], ', 1),
            lambda: text.replace('"label": "', '"label": "\\ud800', 1),
        ]
    )()


def mutate(rng, data, others):
    """Return the text of one mutation."""
    data = copy.deepcopy(data)
    for _ in range(rng.choice([1, 1, 1, 2, 2, 3])):
        try:
            found = [path for name in PARTS if name in data for path in places(data[name], [], (name,))]
            action = rng.randrange(20)
            if action < 6:
                leaves = [path for path in found if type(at(data, path)) not in (list, dict)]
                change_value(rng, data, rng.choice(leaves))
            elif action < 7:
                change_value(rng, data, rng.choice(places(data, [])[1:]))
            elif action < 9:
                change_list(rng, data, [path for path in found if type(at(data, path)) is list])
            elif action < 10:
                objects = [path for path in places(data, []) if type(at(data, path)) is dict]
                change_field(rng, data, rng.choice([[()], objects]))
            elif action < 12:
                move_weight(rng, data)
            elif action < 14:
                change_certificate(rng, data)
            elif action < 16:
                change_refutation(rng, data)
            elif action < 18 and others:
                other = rng.choice(others)
                for name in rng.sample(PARTS, rng.choice([1, 1, 2, 3])):
                    data.pop(name, None)
                    if name in other:
                        data[name] = copy.deepcopy(other[name])
                if rng.random() < 0.5:
                    data["concept"] = other["concept"]
            elif action < 19:
                data[rng.choice(["concept", "concept", "requested"])] = rng.choice(CONCEPTS)
            else:
                data["status"] = rng.choice(STATUS)
        except (KeyError, IndexError, TypeError, ValueError, AttributeError, ZeroDivisionError):
            continue
    if rng.random() < 0.1:
        keys = list(data)
        rng.shuffle(keys)
        data = {key: data[key] for key in keys}
    text = json.dumps(data, ensure_ascii=rng.random() < 0.5)
    return change_text(rng, text) if rng.random() < 0.08 else text


def mutations(data, others, seed, number):
    """Yield a number of mutations."""
    rng = random.Random(seed)
    for _ in range(number):
        yield mutate(rng, data, others)
