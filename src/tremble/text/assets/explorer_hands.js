"use strict";
// An ordered game, with one or two profiles for every hand. An entry of the list is a decision in the betting. It
// consists of a round, a line of moves in the earlier rounds, and a node of the stage. The reader chooses the board.

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
    this.places = new Map();  // positions of numbers that the page computes
    this.known = new Map();  // cache of computed values
  }

  get size() { return this.entries.length; }
  get unit() { return "decisions"; }

  // -- places ---------------------------------------------------------------------------------------

  player(entry) { return this.rounds[this.entries[entry].round].mover[this.entries[entry].node]; }

  leaves({round, line}) {  // return the leaves at which the earlier rounds ended
    const found = [];
    for (let r = round - 1; r >= 0; r--) {
      const on = this.rounds[r].goesOn;
      found.unshift(on[line % on.length]);
      line = Math.floor(line / on.length);
    }
    return found;
  }

  letters(at) {
    return [...this.leaves(at).map((leaf, r) => this.rounds[r].letters[leaf]), this.rounds[at.round].letters[at.node]].join(":");
  }

  label(entry) { return this.letters(this.entries[entry]) || "the first move"; }
  place(at) { return `${at.round + 1}.${at.line}.${at.node}@${this.board[at.round]}`; }
  key(entry) { return this.place(this.entries[entry]); }

  find(key) {
    const [, round, line, node, board] = key.match(/^(\d+)\.(\d+)\.(\d+)(?:@(\d+))?$/) || [];
    const entry = this.index.get(`${round - 1}.${line}.${node}`);
    if (entry === undefined) return NONE;
    if (board !== undefined && Number(board) < this.rounds[round - 1].boards.length) this.choose(round - 1, Number(board));
    return entry;
  }

  choose(round, state) {  // choose a board, and compatible boards in the other rounds
    this.board[round] = state;
    for (let r = round; r > 0; r--) {
      const {earlier, count} = this.rounds[r];
      this.board[r - 1] = Math.floor(earlier[this.board[r] * count] / this.rounds[r - 1].count);
    }
    for (let r = round + 1; r < this.rounds.length; r++) {
      const {earlier, count, boards} = this.rounds[r], before = this.rounds[r - 1].count;
      const follows = b => Math.floor(earlier[b * count] / before) === this.board[r - 1];
      if (!follows(this.board[r])) this.board[r] = boards.findIndex((_, b) => follows(b));
    }
  }

  after(at, a) {  // return the place after an action, or null if the game ends
    const round = this.rounds[at.round], node = round.child[at.node][a], leaf = round.goesOn.indexOf(node);
    if (round.mover[node] >= 0) return {...at, node};
    return leaf < 0 || at.round + 1 === this.rounds.length ? null : {round: at.round + 1, line: at.line * round.goesOn.length + leaf, node: 0};
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
    const last = before[player].last[goesOn[at.line % goesOn.length]];
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

  range(at, number) {  // compute how likely play reaches a place with each hand of the player who moves
    const state = this.board[at.round], key = `range ${number} ${at.round} ${at.line} ${at.node} ${state}`;
    return this.kept(key, () => {
      const {count, sides, mover} = this.rounds[at.round], player = mover[at.node], profile = this.profiles[number];
      const reaches = [0, 1].map(who => Float64Array.from({length: count}, (_, i) => this.reach(who, at,
        state * count + i, sides[who].last[at.node], profile)));
      const others = this.held(at.round, 1 - player, state), comes = reaches[player], weight = new Float64Array(count), dealt = new Float64Array(count);
      for (const i of this.held(at.round, player, state)) {
        for (const j of others) {
          const mass = player ? this.mass(at.round, state, j, i) : this.mass(at.round, state, i, j);
          dealt[i] += mass;
          weight[i] += mass * reaches[1 - player][j];
        }
        weight[i] *= comes[i];
      }
      const sum = weight.reduce((a, b) => a + b, 0), whole = dealt.reduce((a, b) => a + b, 0);
      return {weight, comes, dealt, sum, likely: whole ? sum / whole : 0};
    });
  }

  summary(entry, number) {  // compute the probability of each action over all hands, and the loss
    const at = this.entries[entry], state = this.board[at.round];
    return this.kept(`summary ${number} ${entry} ${state}`, () => {
      const {count, sides, mover, actions} = this.rounds[at.round], player = mover[at.node];
      const range = this.range(at, number), first = this.first(at), profile = this.profiles[number];
      const shares = actions[at.node].map(() => 0);
      let regret = 0, distance = 0, total = 0;
      for (let i = 0; i < count; i++) {
        const weight = range.sum ? range.weight[i] : range.dealt[i], own = state * count + i;
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
    const square = this.data.square && this.rounds[at.round].count > 60;
    return [
      heading(player, this.label(entry), about, this.key(entry)),
      this.crumbs(at, page),
      ...this.boards(at, page),
      this.actionTable(entry, page),
      ...(square ? [el("div", {class: "squares"}, ...this.profiles.map((_, number) => this.squareOf(at, number)))] : []),
      this.handTable(at, page),
    ];
  }

  way(at) {  // list all moves that lead to a place, and the place of each move
    const parts = [...this.leaves(at), at.node], steps = [];
    let line = 0;
    parts.forEach((end, r) => {
      const round = this.rounds[r];
      if (round.boards[this.board[r]]) steps.push({who: "board", text: round.boards[this.board[r]], at: null});
      let node = 0;
      for (const action of round.lines[end]) {
        steps.push({who: this.data.players[round.mover[node]], text: action, at: {round: r, line, node}});
        node = round.child[node][round.actions[node].indexOf(action)];
      }
      if (r < at.round) line = line * round.goesOn.length + round.goesOn.indexOf(end);
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
    const {boards} = this.rounds[at.round];
    if (boards.length < 2) return [];
    const list = el("datalist", {id: "boards"}, ...boards.map(board => el("option", {value: board})));
    const input = el("input", {id: "board", list: "boards", value: boards[this.board[at.round]], "aria-label": "board"});
    const choose = state => { if (state >= 0) { this.choose(at.round, state); page.boardChosen(this.place(at)); } };
    input.addEventListener("change", () => choose(this.boardNamed(at.round, input.value)));
    const step = (by, name, told) => el("button", {type: "button", "aria-label": told, title: told, onclick: () =>
      choose((this.board[at.round] + by + boards.length) % boards.length)}, name);
    return [el("p", {class: "choices"}, el("label", {for: "board"}, "board"), input, list, step(-1, "\u2039", "the previous board"),
      step(1, "\u203a", "the next board"), el("span", {class: "faint"}, `${this.board[at.round] + 1} of ${boards.length.toLocaleString("en")}`))];
  }

  boardNamed(round, text) {  // find a board by its name, whose suits can be letters
    const plain = name => name.replace(/\s/g, "").toLowerCase().replace(/[♣♦♥♠]/g, suit => "cdhs"["♣♦♥♠".indexOf(suit)]);
    return this.rounds[round].boards.findIndex(board => plain(board) === plain(text));
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
    const state = this.board[at.round], {count, order, mover} = this.rounds[at.round], player = mover[at.node];
    const dealt = this.range(at, 0).dealt, found = new Map();
    for (let k = count - 1; k >= 0; k--) {
      const i = order[state * count + k], own = state * count + i;
      if (!dealt[i]) continue;
      const key = this.profiles.map(profile => `${profile.players[player][at.round].classes[own]} `
        + profile.losses[player][at.round].rows[own]).join(" ");
      if (!found.has(key)) found.set(key, []);
      found.get(key).push(i);
    }
    return [...found.values()];
  }

  handTable(at, page) {
    const state = this.board[at.round], {count, held, mover, actions} = this.rounds[at.round], player = mover[at.node];
    const first = this.first(at), menu = actions[at.node];
    const name = i => this.data.hands[held[state * count + i]];
    const head = ["hand", ...(this.compared ? ["profile"] : []), "in range", ...menu];
    const row = ([hands, number]) => {  // the second profile is below the first, to keep the table narrow
      const own = state * count + hands[0], more = hands.length > 3 ? ` … ${hands.length}` : "", profile = this.profiles[number];
      const range = this.range(at, number), part = hands.reduce((sum, i) => sum + range.weight[i], 0);
      const named = el("span", {title: hands.map(name).join(" ")}, hands.slice(0, 3).map(name).join(" ") + more);
      return [number ? "" : named, ...(this.compared ? [profile.name] : []), percent(range.sum ? part / range.sum : 0),
        ...menu.map((_, a) => this.cell(page, player, at, own, first + a, profile, range.comes[hands[0]]))];
    };
    const items = this.groups(at).flatMap(hands => this.profiles.map((_, number) => [hands, number]));
    return longGrid("hands, the strongest first: their share of the range, the probabilities of actions, and losses", head,
      items, row, null, "hands");
  }

  cell(page, player, at, own, sequence, profile, comes) {
    const place = this.sharePlace(player, at, own, sequence, profile), lost = this.loss(player, at, own, sequence, profile);
    const cost = Number.isNaN(lost) || !lost ? "" : el("span", {class: this.float(place) > 0 ? "loss" : "faint",
      title: "loss compared with the best action"}, `\u2212${decimal(lost)}`);
    return el("span", {class: comes > 0 ? "share" : "share never"}, share(page, place, this.float(place), true), cost);
  }

  squareOf(at, number) {  // draw hands of two cards: pairs on the diagonal, suited hands above it
    const {ranks, cells} = this.data.square, state = this.board[at.round], range = this.range(at, number);
    const {count, held, mover, actions} = this.rounds[at.round], player = mover[at.node], first = this.first(at);
    const menu = actions[at.node], sums = ranks.flatMap(() => ranks.map(() => menu.map(() => 0)));
    for (let i = 0; i < count; i++) {
      const sum = sums[cells[held[state * count + i]]];
      if (range.weight[i]) menu.forEach((_, a) => {
        sum[a] += range.weight[i] * this.share(player, at, state * count + i, first + a, this.profiles[number]);
      });
    }
    const boxes = sums.map((sum, k) => {
      const [i, j] = [Math.floor(k / ranks.length), k % ranks.length];
      return this.box(i === j ? ranks[i] + ranks[j] : i < j ? `${ranks[i]}${ranks[j]}s` : `${ranks[j]}${ranks[i]}o`, sum, menu);
    });
    const name = this.compared ? `the range of ${this.profiles[number].name}` : "the range";
    const columns = `grid-template-columns:repeat(${ranks.length},1fr)`;
    return el("div", {}, el("div", {class: "faint"}, name), el("div", {class: "square", role: "img", "aria-label": name,
      style: columns}, ...boxes));
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
    const next = this.book.after(this.at, a);
    if (next) this.at = next; else this.end = this.round.child[this.at.node][a];
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
