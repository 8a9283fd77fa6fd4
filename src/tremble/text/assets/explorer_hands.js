"use strict";
// An ordered game, with one or two profiles for every hand. An entry of the list is a decision in the betting. It
// consists of a round, a line of moves in the earlier rounds, and a node of the stage. The reader chooses the board.
//
// If the moves of a round depend on those of the round before, `roots` lists the first node of the stage after each leaf
// of the round before, and there is only one line. In such a round, the reader can also choose all boards: the numbers
// of a hand are then means over the boards, weighted by how likely play gets there.

const ALL = -1;  // in place of a board: all boards
const VIEWS = {play: "actions", weight: "range", ev: "EV", equity: "equity"};

async function unpacked(text, kind) {
  const letters = atob(text), bytes = new Uint8Array(letters.length);
  for (let k = 0; k < letters.length; k++) bytes[k] = letters.charCodeAt(k);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new kind(await new Response(stream).arrayBuffer());
}

function upperHalf(half) {  // return a float from its upper 16 bits
  upperHalf.bits[0] = half << 16;
  return upperHalf.float[0];
}
upperHalf.bits = new Uint32Array(1);
upperHalf.float = new Float32Array(upperHalf.bits.buffer);

class Hands {
  static async open(data) {
    for (const round of data.rounds) {
      for (const name of ["held", "order", "earlier", "strength"]) {
        if (round[name] !== null) round[name] = await unpacked(round[name], Int32Array);
      }
      const weights = round.weights || {};
      if (weights.own) weights.own = await Promise.all(weights.own.map(each => unpacked(each, Float32Array)));
      if (weights.pairs) weights.pairs = await unpacked(weights.pairs, Float32Array);
    }
    for (const profile of data.profiles) {
      for (const told of profile.players.flat()) {
        told.classes = await unpacked(told.classes, Int32Array);
        if (told.rounded) told.rounded = await unpacked(told.rounded, Uint16Array);
      }
      for (const told of profile.losses.flat()) {
        told.rows = await unpacked(told.rows, Int32Array);
        told.losses = await unpacked(told.losses, Uint16Array);
      }
      for (const told of (profile.values || []).flat()) {
        told.rows = await unpacked(told.rows, Int32Array);
        told.evs = await unpacked(told.evs, Uint16Array);
        told.equities = await unpacked(told.equities, Uint16Array);
      }
    }
    return new Hands(data);
  }

  constructor(data) {
    this.data = data;
    this.profiles = data.profiles;
    this.compared = data.profiles.length > 1;
    this.rounds = data.rounds;
    this.entries = [];
    this.rounds.forEach((round, r) => {
      const nodes = round.mover.flatMap((mover, node) => (mover < 0 ? [] : [node]));
      for (let line = 0; line < round.before; line++) for (const node of nodes) this.entries.push({round: r, line, node});
    });
    this.index = new Map(this.entries.map((at, entry) => [`${at.round}.${at.line}.${at.node}`, entry]));
    this.board = this.rounds.map(() => 0);
    this.choose(this.rounds.length - 1, 0);
    this.rounds.forEach((round, r) => { if (round.roots) this.board[r] = ALL; });
    this.view = "play";  // what the square shows
    this.places = new Map();  // positions of numbers that the page computes
    this.known = new Map();  // cache of computed values
  }

  get size() { return this.entries.length; }
  get unit() { return "decisions"; }

  // -- places ---------------------------------------------------------------------------------------

  player(entry) { return this.rounds[this.entries[entry].round].mover[this.entries[entry].node]; }

  root(round, node) {  // return the first node of the tree that contains a node of a stage
    const {roots, child} = this.rounds[round], above = this.kept(`above ${round}`, () => {
      const found = new Map();
      child.forEach((children, n) => children.forEach(below => found.set(below, n)));
      return found;
    });
    let first = node;
    while (roots && above.has(first)) first = above.get(first);
    return roots ? first : 0;
  }

  leaves({round, line, node}) {  // return the leaves at which the earlier rounds ended
    const {roots} = this.rounds[round];
    if (roots) return [this.rounds[round - 1].goesOn[roots.indexOf(this.root(round, node))]];
    const found = [];
    for (let r = round - 1; r >= 0; r--) {
      const on = this.rounds[r].goesOn;
      found.unshift(on[line % on.length]);
      line = Math.floor(line / on.length);
    }
    return found;
  }

  letters(at) {
    const last = this.rounds[at.round].letters[at.node], before = this.leaves(at).map((leaf, r) => this.rounds[r].letters[leaf]);
    return this.rounds[at.round].roots ? [...before, last || "to open"].join(" / ") : [...before, last].join(":");
  }

  label(entry) { return this.letters(this.entries[entry]) || "the first move"; }
  place(at) {
    const board = this.board[at.round];
    return `${at.round + 1}.${at.line}.${at.node}@${board === ALL ? "all" : board}`;
  }
  key(entry) { return this.place(this.entries[entry]); }

  find(key) {
    const [, round, line, node, board] = key.match(/^(\d+)\.(\d+)\.(\d+)(?:@(\d+|all))?$/) || [];
    const entry = this.index.get(`${round - 1}.${line}.${node}`);
    if (entry === undefined) return NONE;
    if (board === "all") {
      if (this.rounds[round - 1].roots) this.choose(round - 1, ALL);
    } else if (board !== undefined && Number(board) < this.rounds[round - 1].boards.length) this.choose(round - 1, Number(board));
    return entry;
  }

  choose(round, state) {  // choose a board, and compatible boards in the other rounds
    this.board[round] = state;
    for (let r = round; r > 0 && state !== ALL; r--) {
      const {earlier, count} = this.rounds[r];
      this.board[r - 1] = Math.floor(earlier[this.board[r] * count] / this.rounds[r - 1].count);
    }
    for (let r = round + 1; r < this.rounds.length; r++) {
      const {earlier, count, boards} = this.rounds[r], before = this.rounds[r - 1].count;
      if (this.board[r] === ALL) continue;
      const follows = b => Math.floor(earlier[b * count] / before) === this.board[r - 1];
      if (!follows(this.board[r])) this.board[r] = boards.findIndex((_, b) => follows(b));
    }
  }

  after(at, a) {  // return the place after an action, or null if the game ends
    const round = this.rounds[at.round], node = round.child[at.node][a], leaf = round.goesOn.indexOf(node);
    if (round.mover[node] >= 0) return {...at, node};
    if (leaf < 0 || at.round + 1 === this.rounds.length) return null;
    const next = this.rounds[at.round + 1];
    if (!next.roots) return {round: at.round + 1, line: at.line * round.goesOn.length + leaf, node: 0};
    return next.mover[next.roots[leaf]] < 0 ? null : {round: at.round + 1, line: 0, node: next.roots[leaf]};
  }

  states(round) {  // list the chosen boards
    const board = this.board[round];
    return board === ALL ? this.rounds[round].boards.map((_, state) => state) : [board];
  }

  // -- numbers --------------------------------------------------------------------------------------

  float(place) { return place < 0 ? NaN : this.data.numbers.float[place]; }

  number(x) {  // return the position of a number that the page has computed
    if (Number.isNaN(x)) return NONE;
    if (!this.places.has(x)) {
      this.places.set(x, this.data.numbers.float.push(x) - 1);
      this.data.numbers.exact.push(decimal(x));
    }
    return this.places.get(x);
  }

  kept(key, make) {
    if (!this.known.has(key)) this.known.set(key, make());
    return this.known.get(key);
  }

  slot(player, {round, line}, own, sequence, profile) {  // return the index of a probability
    const told = profile.players[player][round], side = this.rounds[round].sides[player];
    return (told.classes[own] * (side.start.at(-1) - 1) + sequence - 1) * this.rounds[round].before + line;
  }

  share(player, at, own, sequence, profile) {
    const told = profile.players[player][at.round], slot = this.slot(player, at, own, sequence, profile);
    if (slot < 0) return 0;  // the player is never dealt this hand
    return told.places ? this.float(told.places[slot]) : told.rounded[slot] / this.data.steps;
  }

  sharePlace(player, at, own, sequence, profile) {
    const told = profile.players[player][at.round], slot = this.slot(player, at, own, sequence, profile);
    return told.places ? told.places[slot] : this.number(told.rounded[slot] / this.data.steps);
  }

  loss(player, at, own, sequence, profile) {  // return a loss, or 0 if it is negligible
    const told = profile.losses[player][at.round], side = this.rounds[at.round].sides[player];
    const row = told.rows[own] * (side.start.at(-1) - 1) + sequence - 1;
    return this.large(upperHalf(told.losses[row * this.rounds[at.round].before + at.line]));
  }

  reach(player, at, own, sequence, profile) {  // return the probability that a player with a hand plays to this place
    const {sides, earlier} = this.rounds[at.round], side = sides[player];
    let reach = 1;
    while (sequence > 0 && reach) {
      reach *= this.share(player, at, own, sequence, profile);
      sequence = side.parent[side.start.findLastIndex(start => start <= sequence)];
    }
    if (!at.round || !reach) return reach;
    const {goesOn, sides: before} = this.rounds[at.round - 1], line = Math.floor(at.line / goesOn.length);
    const last = before[player].last[this.leaves(at).at(-1)];
    return reach * this.reach(player, {round: at.round - 1, line}, earlier[own], last, profile);
  }

  mass(round, state, i, j) {  // return the weight of a hand of player 1 with a hand of player 2
    const {count, held, weights} = this.rounds[round], one = state * count + i, two = state * count + j;
    if (weights && weights.pairs) return weights.pairs[one * count + j];
    const weight = weights ? weights.own[0][one] * weights.own[1][two] : 1;
    return weight && this.apart(this.data.held[held[one]], this.data.held[held[two]]) ? weight : 0;
  }

  apart(one, two) {  // check that two hands have no common signal
    for (let a = 0; a < one.length; a++) for (let b = 0; b < two.length; b++) if (one[a] === two[b]) return false;
    return true;
  }

  held(round, player, state) {  // list the hands that a player can be dealt
    const {count, weights} = this.rounds[round], own = weights && weights.own && weights.own[player];
    return this.kept(`held ${round} ${player} ${state}`, () => Array.from({length: count}, (_, i) => i)
      .filter(i => !own || own[state * count + i] > 0));
  }

  met(round, player, state, reach) {  // for each hand of a player, sum the weights of the other player's hands
    const {count, held, weights} = this.rounds[round], others = this.held(round, 1 - player, state);
    const own = weights && weights.own, found = new Float64Array(count);
    const signals = i => this.data.held[held[state * count + i]];
    if ((weights && weights.pairs) || signals(0).length > 2) {
      for (const i of this.held(round, player, state)) {
        for (const j of others) found[i] += (player ? this.mass(round, state, j, i) : this.mass(round, state, i, j)) * reach[j];
      }
      return found;
    }
    // All hands, minus those with a common signal; a hand with both signals is the same hand, and is subtracted twice.
    const worth = new Float64Array(count), holding = new Map();
    let total = 0;
    for (const j of others) {
      worth[j] = reach[j] * (own ? own[1 - player][state * count + j] : 1);
      total += worth[j];
      for (const signal of signals(j)) holding.set(signal, (holding.get(signal) || 0) + worth[j]);
    }
    for (const i of this.held(round, player, state)) {
      const common = signals(i).reduce((sum, signal) => sum + (holding.get(signal) || 0), 0);
      const apart = total - common + (signals(i).length - 1) * worth[i];
      found[i] = Math.max(0, apart < 1e-12 * total ? 0 : apart) * (own ? own[player][state * count + i] : 1);
    }
    return found;
  }

  rangeOn(at, number, state) {  // compute how likely play reaches a place on a board with each hand of the player who moves
    const key = `range ${number} ${at.round} ${at.line} ${at.node} ${state}`;
    return this.kept(key, () => {
      const {count, sides, mover} = this.rounds[at.round], player = mover[at.node], profile = this.profiles[number];
      const [comes, reach] = [player, 1 - player].map(who => {
        const found = new Float64Array(count);
        for (const i of this.held(at.round, who, state)) {
          found[i] = this.reach(who, at, state * count + i, sides[who].last[at.node], profile);
        }
        return found;
      });
      const weight = this.met(at.round, player, state, reach).map((met, i) => met * comes[i]);
      const dealt = this.kept(`dealt ${at.round} ${player} ${state}`, () =>
        this.met(at.round, player, state, new Float64Array(count).fill(1)));
      return {weight, comes, dealt};
    });
  }

  range(at, number) {  // return the sums of rangeOn over the chosen boards, and means of the probabilities
    const key = `range ${number} ${at.round} ${at.line} ${at.node} of ${this.board[at.round]}`;
    return this.kept(key, () => {
      const {count} = this.rounds[at.round], parts = this.states(at.round).map(state => this.rangeOn(at, number, state));
      const weight = new Float64Array(count), dealt = new Float64Array(count), comes = new Float64Array(count);
      for (const part of parts) {
        for (let i = 0; i < count; i++) {
          weight[i] += part.weight[i];
          dealt[i] += part.dealt[i];
          comes[i] += part.comes[i] * part.dealt[i];
        }
      }
      for (let i = 0; i < count; i++) comes[i] = dealt[i] ? comes[i] / dealt[i] : 0;
      const sum = weight.reduce((a, b) => a + b, 0), whole = dealt.reduce((a, b) => a + b, 0);
      return {weight, comes, dealt, sum, likely: whole ? sum / whole : 0};
    });
  }

  mean(at, number, i, of, kinds = ["weight", "dealt"]) {  // return the mean of a number over the chosen boards
    // of(own) is NaN if it is unknown. Without weights of the first kind, the second kind counts.
    const {count} = this.rounds[at.round], states = this.states(at.round);
    if (states.length === 1) return of(states[0] * count + i);
    for (const kind of kinds) {
      let sum = 0, total = 0;
      for (const state of states) {
        const weight = this.rangeOn(at, number, state)[kind][i], x = weight ? of(state * count + i) : NaN;
        if (weight && !Number.isNaN(x)) { sum += weight * x; total += weight; }
      }
      if (total) return sum / total;
    }
    return NaN;
  }

  ev(player, at, own, sequence, profile) {
    const told = profile.values[player][at.round], side = this.rounds[at.round].sides[player];
    const code = told.evs[told.rows[own] * (side.start.at(-1) - 1) + sequence - 1];
    return code === 65535 ? NaN : told.low + told.step * code;
  }

  evOf(player, at, own, profile) {  // return the EV of a hand: the mean over its actions
    const first = this.first(at), menu = this.rounds[at.round].actions[at.node];
    return menu.reduce((sum, _, a) => {
      const p = this.share(player, at, own, first + a, profile);
      return p ? sum + p * this.ev(player, at, own, first + a, profile) : sum;
    }, 0);
  }

  equity(player, at, own, profile) {
    const told = profile.values[player][at.round], {nodes} = this.rounds[at.round].sides[player];
    const code = told.equities[told.rows[own] * nodes.length + nodes.indexOf(at.node)];
    return code === 65535 ? NaN : code / 65534;
  }

  weightOf(at, number, i) {  // return the weight of a hand in the range, times the probability of the player's own moves
    const {count, weights, mover} = this.rounds[at.round], own = weights && weights.own;
    return this.mean(at, number, i, node => this.rangeOn(at, number, Math.floor(node / count)).comes[i]
      * (own ? own[mover[at.node]][node] : 1), ["dealt"]);
  }

  summary(entry, number) {  // compute the probability of each action over all hands, and the loss
    const at = this.entries[entry];
    return this.kept(`summary ${number} ${entry} ${this.board[at.round]}`, () => {
      const {count, mover, actions} = this.rounds[at.round], player = mover[at.node];
      const range = this.range(at, number), first = this.first(at), profile = this.profiles[number];
      const shares = actions[at.node].map(() => 0);
      let regret = 0, distance = 0, total = 0;
      for (const state of this.states(at.round)) {
        const on = this.rangeOn(at, number, state), weights = range.sum ? on.weight : on.dealt;
        for (let i = 0; i < count; i++) {
          const weight = weights[i], own = state * count + i;
          if (!weight) continue;
          total += weight;
          shares.forEach((_, a) => {
            const p = this.share(player, at, own, first + a, profile), lost = this.loss(player, at, own, first + a, profile);
            shares[a] += weight * p;
            if (p > 0 && lost > 0) regret += weight * p * lost;
            if (this.compared) {
              distance += weight * Math.abs(p - this.share(player, at, own, first + a, this.profiles[1 - number])) / 2;
            }
          });
        }
      }
      const mean = x => (total ? x / total : 0);
      return {shares: shares.map(mean), regret: this.large(mean(regret)), distance: mean(distance), likely: range.likely};
    });
  }

  large(x) { return Math.abs(x) < this.data.least ? 0 : x; }

  first(at) {  // return the sequence of the first action
    const side = this.rounds[at.round].sides[this.rounds[at.round].mover[at.node]];
    return side.start[side.nodes.indexOf(at.node)];
  }

  // -- the list -------------------------------------------------------------------------------------

  row(entry, number) {
    const at = this.entries[entry], summary = this.summary(entry, number);
    return {player: this.player(entry), label: this.label(entry), actions: this.rounds[at.round].actions[at.node],
      shares: summary.shares, reach: summary.likely, regret: summary.regret, distance: summary.distance};
  }

  searched(entry) {
    const at = this.entries[entry], round = this.rounds[at.round];
    const words = [...this.leaves(at).map((leaf, r) => this.rounds[r].lines[leaf].join(" ")), round.lines[at.node].join(" ")];
    return `${this.label(entry)} round ${at.round + 1} ${words.join(" ")} ${this.data.players[this.player(entry)]}`.toLowerCase();
  }

  measure(kind) {
    return entry => {
      const {regret, likely, distance} = this.summary(entry, 0);
      return kind === "loss" ? [regret * likely, regret] : kind === "difference" ? [distance * likely, distance] : [likely, 0];
    };
  }

  orders() {
    const all = [["in the order of the game", null], ["largest loss first", this.measure("loss")],
      ["most often reached first", this.measure("reach")]];
    return this.compared ? [...all, ["largest difference first", this.measure("difference")]] : all;
  }

  ranked(kind) {
    const measure = this.measure(kind);
    return sorted(this.entries.map((_, entry) => entry).filter(entry => measure(entry).some(x => x > 0)), measure);
  }

  // -- one decision ---------------------------------------------------------------------------------

  show(entry, page) {
    const at = this.entries[entry], player = this.player(entry);
    const about = `${this.data.players[player]}, round ${at.round + 1}`;
    const square = this.data.square && (this.rounds[at.round].count > 60 || this.profiles[0].values);
    return [
      heading(player, this.label(entry), about, this.key(entry)),
      this.crumbs(at, page),
      ...this.boards(at, page),
      this.actionTable(entry, page),
      ...(square && this.profiles[0].values ? [this.views(page)] : []),
      ...(square ? [el("div", {class: "squares"}, ...this.profiles.map((_, number) => this.squareOf(at, number)))] : []),
      this.handTable(at, page),
    ];
  }

  way(at) {  // list all moves that lead to a place, and the place of each move
    const parts = [...this.leaves(at), at.node], steps = [];
    let line = 0;
    parts.forEach((end, r) => {
      const round = this.rounds[r];
      const board = this.board[r] === ALL ? "any" : round.boards[this.board[r]];
      if (board) steps.push({who: "board", text: board, at: null});
      let node = this.root(r, end);
      for (const action of round.lines[end]) {
        steps.push({who: this.data.players[round.mover[node]], text: action, at: {round: r, line, node}});
        node = round.child[node][round.actions[node].indexOf(action)];
      }
      if (r < at.round && !this.rounds[r + 1].roots) line = line * round.goesOn.length + round.goesOn.indexOf(end);
    });
    return steps;
  }

  crumbs(at, page) {
    const items = this.way(at).map(step => el("li", {}, el("span", {class: "faint"}, `${step.who}: `),
      step.at ? page.link(this.place(step.at), step.text) : step.text));
    if (!items.length) return "";
    return el("nav", {"aria-label": "moves that lead here"}, el("ol", {class: "crumbs"}, ...items));
  }

  boards(at, page) {  // return the elements to choose a board, which the reader can also type
    const {boards, roots} = this.rounds[at.round], now = this.board[at.round];
    if (boards.length < 2) return [];
    const list = el("datalist", {id: "boards"}, ...boards.map(board => el("option", {value: board})));
    const input = el("input", {id: "board", list: "boards", value: now === ALL ? "all" : boards[now], "aria-label": "board"});
    const choose = state => { if (state >= (roots ? ALL : 0)) { this.choose(at.round, state); page.boardChosen(this.place(at)); } };
    input.addEventListener("change", () => choose(this.boardNamed(at.round, input.value)));
    const step = (by, name, told) => el("button", {type: "button", "aria-label": told, title: told, onclick: () =>
      choose((Math.max(now, by < 0 ? 0 : ALL) + by + boards.length) % boards.length)}, name);
    const all = el("button", {type: "button", id: "all", "aria-pressed": String(now === ALL), onclick: () => choose(ALL)}, "all boards");
    const which = now === ALL ? `means over ${boards.length} boards` : `${now + 1} of ${boards.length.toLocaleString("en")}`;
    return [el("p", {class: "choices"}, el("label", {for: "board"}, "board"), input, list, step(-1, "\u2039", "the previous board"),
      step(1, "\u203a", "the next board"), ...(roots ? [all] : []), el("span", {class: "faint"}, which))];
  }

  views(page) {  // return the buttons that choose what the square shows
    return el("p", {class: "choices", role: "group", "aria-label": "what the square shows"},
      ...Object.entries(VIEWS).map(([view, name]) => el("button", {type: "button", "data-view": view,
        "aria-pressed": String(view === this.view), onclick: () => { this.view = view; page.show(); }}, name)));
  }

  boardNamed(round, text) {  // find a board by its name, whose suits can be letters
    const plain = name => name.replace(/\s/g, "").toLowerCase().replace(/[♣♦♥♠]/g, suit => "cdhs"["♣♦♥♠".indexOf(suit)]);
    const found = this.rounds[round].boards.findIndex(board => plain(board) === plain(text));
    return found >= 0 || (this.rounds[round].roots && plain(text) === "all") ? found : -2;
  }

  actionTable(entry, page) {
    const at = this.entries[entry], head = ["over all hands", ...this.profiles.flatMap(profile => [
      this.compared ? profile.name : "probability"]), ...(this.compared ? ["difference"] : []), "leads to"];
    const all = this.profiles.map((_, number) => this.summary(entry, number));
    const rows = this.rounds[at.round].actions[at.node].map((action, a) => {
      const next = this.after(at, a), shares = all.map(summary => summary.shares[a]);
      return [this.coloured(action), ...shares.map(p => share(page, this.number(p), p)),
        ...(this.compared ? [signed(shares[1] - shares[0])] : []),
        next ? page.link(this.place(next), this.letters(next)) : el("span", {class: "faint"}, "the end")];
    });
    const note = all.map(({likely, regret}) => `play comes here with ${percent(likely)}, mistakes lose ${decimal(regret)} each time`);
    return grid(`actions: ${distinct(note).join("; ")}`, head, rows, "actions");
  }

  coloured(action) {
    return el("span", {}, el("span", {class: "swatch", style: `background:${this.data.colours[action]}`}), action);
  }

  groups(at) {  // group hands with equal play and losses, the strongest first
    const all = this.board[at.round] === ALL, state = all ? 0 : this.board[at.round];
    const {count, order, mover} = this.rounds[all ? at.round - 1 : at.round], player = this.player_(at);
    const dealt = this.range(at, 0).dealt, found = new Map();
    for (let k = count - 1; k >= 0; k--) {
      const i = order[state * count + k], own = state * count + i;
      if (!dealt[i]) continue;
      const key = all ? i : this.profiles.map(profile => `${profile.players[player][at.round].classes[own]} `
        + profile.losses[player][at.round].rows[own]).join(" ");
      if (!found.has(key)) found.set(key, []);
      found.get(key).push(i);
    }
    return [...found.values()];
  }

  handTable(at, page) {
    const {count, held, mover, actions} = this.rounds[at.round], player = mover[at.node];
    const menu = actions[at.node], name = i => this.data.hands[held[this.states(at.round)[0] * count + i]];
    const valued = this.profiles[0].values, chips = x => (Number.isNaN(x) ? "" : x.toFixed(2));
    const head = ["hand", ...(this.compared ? ["profile"] : []), "in range", ...(valued ? ["weight", "equity", "EV"] : []), ...menu];
    const row = ([hands, number]) => {  // the second profile is below the first, to keep the table narrow
      const i = hands[0], more = hands.length > 3 ? ` … ${hands.length}` : "", profile = this.profiles[number];
      const range = this.range(at, number), part = hands.reduce((sum, hand) => sum + range.weight[hand], 0);
      const named = el("span", {title: hands.map(name).join(" ")}, hands.slice(0, 3).map(name).join(" ") + more);
      const values = valued ? [percent(this.weightOf(at, number, i)), this.told("equity", at, number, i), chips(this.value("ev", at, number, i))] : [];
      return [number ? "" : named, ...(this.compared ? [profile.name] : []), percent(range.sum ? part / range.sum : 0), ...values,
        ...menu.map((_, a) => this.cell(page, player, at, i, a, number, range.comes[i]))];
    };
    const items = this.groups(at).flatMap(hands => this.profiles.map((_, number) => [hands, number]));
    return longGrid("hands, the strongest first: their share of the range, the probabilities of actions, and losses", head,
      items, row, null, "hands");
  }

  value(kind, at, number, i) {  // return the range weight, EV or equity of a hand
    const profile = this.profiles[number], player = this.player_(at);
    if (kind === "weight") return this.weightOf(at, number, i);
    return this.mean(at, number, i, own => kind === "ev" ? this.evOf(player, at, own, profile) : this.equity(player, at, own, profile));
  }

  told(kind, at, number, i) {
    const x = this.value(kind, at, number, i);
    return Number.isNaN(x) ? "" : kind === "ev" ? x.toFixed(2) : percent(x);
  }

  player_(at) { return this.rounds[at.round].mover[at.node]; }

  cell(page, player, at, i, a, number, comes) {
    const states = this.states(at.round), own = states[0] * this.rounds[at.round].count + i, sequence = this.first(at) + a;
    const profile = this.profiles[number];
    const place = states.length === 1 ? this.sharePlace(player, at, own, sequence, profile)
      : this.number(this.mean(at, number, i, node => this.share(player, at, node, sequence, profile)));
    const lost = this.mean(at, number, i, node => this.loss(player, at, node, sequence, profile));
    const cost = Number.isNaN(lost) || !lost ? "" : el("span", {class: this.float(place) > 0 ? "loss" : "faint",
      title: "loss compared with the best action"}, `\u2212${decimal(lost)}`);
    const ev = profile.values ? this.mean(at, number, i, node => this.ev(player, at, node, sequence, profile)) : NaN;
    return el("span", {class: comes > 0 ? "share" : "share never", title: Number.isNaN(ev) ? null : `EV ${ev.toFixed(2)}`}, share(page, place, this.float(place), true), cost);
  }

  squareOf(at, number) {  // draw hands of two cards: pairs on the diagonal, suited hands above it
    const {ranks, cells} = this.data.square, {count, held, mover, actions} = this.rounds[at.round], player = mover[at.node];
    const menu = actions[at.node], first = this.first(at), profile = this.profiles[number];
    const inCell = ranks.flatMap(() => ranks.map(() => [])), range = this.range(at, number);
    const start = this.states(at.round)[0] * count;
    for (let i = 0; i < count; i++) if (range.dealt[i]) inCell[cells[held[start + i]]].push(i);
    const name = k => {
      const [i, j] = [Math.floor(k / ranks.length), k % ranks.length];
      return i === j ? ranks[i] + ranks[j] : i < j ? `${ranks[i]}${ranks[j]}s` : `${ranks[j]}${ranks[i]}o`;
    };
    let boxes;
    if (this.view === "play") {
      boxes = inCell.map((hands, k) => {
        const sum = menu.map(() => 0);
        for (const state of this.states(at.round)) {
          const {weight} = this.rangeOn(at, number, state);
          for (const i of hands) {
            if (weight[i]) menu.forEach((_, a) => { sum[a] += weight[i] * this.share(player, at, state * count + i, first + a, profile); });
          }
        }
        return this.box(name(k), sum, menu);
      });
    } else {
      const found = inCell.map(hands => this.cellValue(at, number, hands)), known = found.filter(x => !Number.isNaN(x));
      const [low, high] = this.view === "ev" ? [Math.min(...known), Math.max(...known)] : [0, 1];
      boxes = found.map((x, k) => this.valueBox(name(k), x, high > low ? (x - low) / (high - low) : 1));
    }
    const shows = {play: "the range", weight: "weights in the range", ev: "EV in chips", equity: "equity"}[this.view];
    const about = this.compared ? `${shows} of ${profile.name}` : shows;
    const columns = `grid-template-columns:repeat(${ranks.length},1fr)`;
    return el("div", {}, el("div", {class: "faint"}, about), el("div", {class: "square", role: "img", "aria-label": about,
      style: columns}, ...boxes));
  }

  cellValue(at, number, hands) {  // return the mean over the hands of a cell; EVs and equities have the reach as weights
    const range = this.range(at, number);
    let sum = 0, total = 0;
    for (const i of hands) {
      const x = this.value(this.view, at, number, i), weight = this.view === "weight" ? 1 : range.weight[i];
      if (weight && !Number.isNaN(x)) { sum += weight * x; total += weight; }
    }
    return total ? sum / total : NaN;
  }

  valueBox(name, x, part) {
    if (Number.isNaN(x) || (this.view === "weight" && !x)) return el("span", {class: "never", title: `${name}: never`}, name);
    const text = this.view === "ev" ? x.toFixed(2) : percent(x), full = (100 * part).toFixed(1);
    return el("span", {title: `${name}: ${text}`, class: "value", style: `--full:${full}%`}, name, el("small", {}, text));
  }

  box(name, sum, menu) {
    const whole = sum.reduce((a, b) => a + b, 0);
    if (!whole) return el("span", {class: "never", title: `${name}: never`}, name);
    let from = 0;
    const stops = sum.map((part, a) => {
      const to = from + 100 * part / whole, stop = `${this.data.colours[menu[a]]} ${from}% ${to}%`;
      from = to;
      return stop;
    });
    const told = menu.map((action, a) => `${action} ${percent(sum[a] / whole)}`).join(", ");
    return el("span", {title: `${name}: ${told}`, style: `background:linear-gradient(90deg,${stops.join(",")})`}, name);
  }

  // -- a hand ---------------------------------------------------------------------------------------

  deal(seat, number) { return new DealtHand(this, seat, this.profiles[number]); }
}

class DealtHand {
  constructor(book, seat, profile) {
    Object.assign(this, {book, seat, profile, at: {round: 0, line: 0, node: 0}, end: null, own: []});
    this.draw();
    this.advance();
  }

  draw() {  // draw the board and the hands of the last round; they determine the earlier rounds
    const {rounds} = this.book, last = rounds.length - 1, {count, boards} = rounds[last];
    let state, hands;
    do {
      state = Math.floor(Math.random() * boards.length);
      hands = [0, 1].map(() => Math.floor(Math.random() * count));
    } while (this.book.mass(last, state, ...hands) <= Math.random());
    this.nodes = [hands.map(hand => state * count + hand)];  // own nodes of both players, by round
    for (let r = last; r > 0; r--) this.nodes.unshift(this.nodes[0].map(own => rounds[r].earlier[own]));
    this.states = this.nodes.map(([one], r) => Math.floor(one / rounds[r].count));
  }

  get done() { return this.end !== null; }
  get round() { return this.book.rounds[this.at.round]; }
  get mover() { return this.round.mover[this.at.node]; }

  take(a) {
    const next = this.book.after(this.at, a), end = this.round.child[this.at.node][a], leaf = this.round.goesOn.indexOf(end);
    const {roots} = this.book.rounds[this.at.round + 1] || {};
    if (next) this.at = next;
    else if (!roots || leaf < 0) this.end = end;
    else {  // all chips are bet: the next round is a showdown
      this.at = {round: this.at.round + 1, line: 0, node: roots[leaf]};
      this.end = roots[leaf];
    }
  }

  advance() {  // draw the moves of the opponent
    while (!this.done && this.mover !== this.seat) {
      const first = this.book.first(this.at), own = this.nodes[this.at.round][this.mover];
      this.take(draw(this.round.actions[this.at.node].map((_, a) =>
        this.book.share(this.mover, this.at, own, first + a, this.profile))));
    }
  }

  name(player) { return this.book.data.hands[this.round.held[this.nodes[this.at.round][player]]]; }

  withBoards(make) {  // call a function while the chosen boards are the boards of this hand
    this.states.forEach((state, r) => { this.book.board[r] = state; });
    return make();
  }

  options() {
    const {book, at, seat} = this, first = book.first(at), own = this.nodes[at.round][seat];
    return this.withBoards(() => ({key: book.place(at), label: this.name(seat),
      known: book.way(at).map(step => ({...step, set: NONE})),
      actions: this.round.actions[at.node].map((action, a) => ({action,
        share: book.sharePlace(seat, at, own, first + a, this.profile),
        loss: book.number(book.loss(seat, at, own, first + a, this.profile))}))}));
  }

  choose(a) {
    this.own.push({...this.options(), chosen: a});
    this.take(a);
    this.advance();
  }

  all() {
    const dealt = [0, 1].map(player => ({who: `${this.book.data.players[player]} holds`, action: this.name(player), set: NONE}));
    const ended = this.withBoards(() => this.book.way({...this.at, node: this.end}).map(step => ({who: step.who, action: step.text,
      set: step.at ? this.book.place(step.at) : NONE})));
    return [...dealt, ...ended];
  }

  payoffs() {
    const {leaves, outcomes, pays, before} = this.round, leaf = leaves.indexOf(this.end);
    return [0, 1].map(player => pays[((player * before + this.at.line) * leaves.length + leaf) * outcomes + this.outcome()]);
  }

  outcome() {
    const {strength, outcome, values} = this.round;
    if (!strength) return 0;
    const [one, two] = this.nodes[this.at.round].map(own => strength[own]);
    return values ? outcome[values.indexOf(one) * values.length + values.indexOf(two)] : outcome[1 + Math.sign(one - two)];
  }
}
