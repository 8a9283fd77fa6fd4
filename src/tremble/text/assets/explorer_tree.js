"use strict";
// A tree, with one or two profiles. A number is stored as its position in a pool of numbers; -1 means no number.

const GROUNDS = ["open", "by Bayes' rule", "off the path, as given in the solution", "a single node"];

class Tree {
  constructor(data) {
    this.data = data;
    this.tables = data.chance.length;
    this.first = [this.tables, this.tables + data.sets[0][0].length];  // first code of each player's sets
    this.size = data.sets[0][0].length + data.sets[1][0].length;  // number of sets
    this.ends = this.tables + this.size;  // first code of a leaf
    this.labels = data.sets[0][0].concat(data.sets[1][0]);
    this.menu = data.sets[0][1].concat(data.sets[1][1]);
    this.slot = starts(this.menu.map(m => data.menus[m].length));
    this.grow();
    this.gather();
    this.profiles = data.profiles;
    for (const profile of this.profiles) this.weigh(profile);
    this.compared = this.profiles.length > 1;
    this.distance = this.compared ? this.distances() : null;
  }

  // -- the tree -----------------------------------------------------------------------------------

  arity(code) {
    if (code >= this.ends) return 0;
    return code < this.tables ? this.data.chance[code][0].length : this.actions(code - this.tables).length;
  }

  grow() {  // find parents and children; children are stored in the order of their parents
    const codes = this.data.nodes, count = codes.length;
    this.parent = new Int32Array(count).fill(NONE);
    this.child = new Int32Array(count);
    let next = 1;
    for (let node = 0; node < count; node++) {
      this.child[node] = next;
      for (let left = this.arity(codes[node]); left > 0; left--) this.parent[next++] = node;
    }
  }

  gather() {  // list the nodes of each set in depth-first order
    const codes = this.data.nodes, count = codes.length, below = new Int32Array(count).fill(1);
    for (let node = count - 1; node > 0; node--) below[this.parent[node]] += below[node];
    const place = new Int32Array(count), order = new Int32Array(count);
    for (let node = 0; node < count; node++) {
      let at = place[node] + 1;
      for (let a = 0; a < this.arity(codes[node]); a++) {
        const child = this.child[node] + a;
        place[child] = at; at += below[child];
      }
    }
    for (let node = 0; node < count; node++) order[place[node]] = node;
    const sizes = new Array(this.size).fill(0);
    for (const code of codes) if (this.isSet(code)) sizes[code - this.tables]++;
    this.nodeStart = starts(sizes);
    const next = this.nodeStart.slice();
    this.nodesInSets = new Int32Array(this.nodeStart[this.size]);
    for (const node of order) {
      if (this.isSet(codes[node])) this.nodesInSets[next[codes[node] - this.tables]++] = node;
    }
  }

  isSet(code) { return code >= this.tables && code < this.ends; }
  setOf(node) { const code = this.data.nodes[node]; return this.isSet(code) ? code - this.tables : NONE; }
  nodes(set) { return this.nodesInSets.subarray(this.nodeStart[set], this.nodeStart[set + 1]); }
  actions(set) { return this.data.menus[this.menu[set]]; }
  player(set) { return set + this.tables < this.first[1] ? 0 : 1; }
  number(set) { return set + this.tables - this.first[this.player(set)] + 1; }
  label(set) { return this.labels[set] || `set ${this.number(set)}`; }
  key(set) { return `${this.player(set) + 1}.${this.number(set)}`; }

  find(key) {  // find a set by its key or its label
    const [, player, number] = key.match(/^([12])\.(\d+)$/) || [];
    if (player) {
      const set = this.first[player - 1] - this.tables + Number(number) - 1;
      if (set >= 0 && set < this.size && this.key(set) === key) return set;
    }
    return key ? this.labels.indexOf(key) : NONE;
  }

  steps(node) {  // list the nodes from the root to a node
    const way = [];
    for (; node !== NONE; node = this.parent[node]) way.push(node);
    return way.reverse();
  }

  taken(node) {  // return the move that leads to a node
    const above = this.parent[node], code = this.data.nodes[above], a = node - this.child[above];
    return {node: above, set: this.setOf(above), action: code < this.tables ? this.data.chance[code][0][a]
      : this.actions(code - this.tables)[a]};
  }

  moves(node) { return this.steps(node).slice(1).map(step => this.taken(step)); }

  trail(set) {  // return the moves that lead to a set, as far as the player knows them
    const ways = [...this.nodes(set)].slice(0, 2000).map(node => this.moves(node));
    if (ways.some(way => way.length !== ways[0].length)) return [{text: "… the player does not know all moves", set: NONE}];
    return ways[0].map((_, depth) => this.step(ways.map(way => way[depth])));
  }

  step(moves) {
    const texts = distinct(moves.map(move => move.action)), sets = distinct(moves.map(move => move.set));
    const who = distinct(sets.map(set => set === NONE ? "chance" : this.data.players[this.player(set)])).join(" or ");
    return {who, text: texts.length > 3 ? "?" : texts.join(" or "), among: texts, set: sets.length === 1 ? sets[0] : NONE};
  }

  next(set, action) {  // list the sets that play reaches next after an action
    const found = new Set(), stack = [...this.nodes(set)].map(node => this.child[node] + action);
    while (stack.length && found.size < 60) {
      const node = stack.pop(), code = this.data.nodes[node];
      if (this.isSet(code)) found.add(code - this.tables);
      else for (let a = this.arity(code) - 1; a >= 0; a--) stack.push(this.child[node] + a);
    }
    return [...found].sort((a, b) => a - b);
  }

  // -- numbers of the profiles --------------------------------------------------------------------

  float(place) { return place < 0 ? NaN : this.data.numbers.float[place]; }

  weigh(profile) {  // for each set: the expected loss at the set, and this loss times the probability of reaching it
    profile.regret = new Float64Array(this.size);
    profile.cost = new Float64Array(this.size);
    for (let set = 0; set < this.size; set++) {
      for (let s = this.slot[set]; s < this.slot[set + 1]; s++) {
        if (profile.loss[s] >= 0) profile.regret[set] += this.float(profile.p[s]) * this.float(profile.loss[s]);
      }
      profile.cost[set] = profile.regret[set] * this.float(profile.reach[set]);
    }
  }

  measured(set, profile) {  // check that the losses of all played actions are known
    for (let s = this.slot[set]; s < this.slot[set + 1]; s++) {
      if (profile.loss[s] < 0 && this.float(profile.p[s]) > 0) return false;
    }
    return true;
  }

  distances() {  // half the sum of the differences: 0 for equal play, 1 if no action is common
    const [one, two] = this.profiles, distance = new Float64Array(this.size);
    for (let set = 0; set < this.size; set++) {
      for (let s = this.slot[set]; s < this.slot[set + 1]; s++) {
        if (one.p[s] !== two.p[s]) distance[set] += Math.abs(this.float(one.p[s]) - this.float(two.p[s])) / 2;
      }
    }
    return distance;
  }

  get unit() { return "information sets"; }

  measure(kind) {  // a pair: weighted by the probability of reaching the set, then unweighted
    const [first] = this.profiles;
    if (kind === "loss") return set => [first.cost[set], first.regret[set]];
    if (kind === "reach") return set => [this.float(first.reach[set]), 0];
    return set => [this.distance[set] * this.float(first.reach[set]), this.distance[set]];
  }

  ranked(kind) {  // list the sets with a loss or a difference, the largest first
    const measure = this.measure(kind);
    return sorted(Array.from({length: this.size}, (_, set) => set).filter(set => measure(set).some(x => x > 0)), measure);
  }

  row(set, number) {  // return the data for a row of the list
    const profile = this.profiles[number];
    return {player: this.player(set), label: this.label(set), actions: this.actions(set),
      shares: this.actions(set).map((_, a) => this.float(profile.p[this.slot[set] + a])),
      reach: this.float(profile.reach[set]), regret: profile.regret[set],
      distance: this.distance ? this.distance[set] : 0};
  }

  searched(set) {
    return `${this.label(set)} ${this.key(set)} ${this.data.players[this.player(set)]} ${this.actions(set).join(" ")}`
      .toLowerCase();
  }

  orders() {
    const all = [["in the order of the game", null],
      ["largest loss first", this.measure("loss")], ["most often reached first", this.measure("reach")]];
    if (this.compared) all.push(["largest difference first", this.measure("difference")]);
    return all;
  }

  // -- one set ------------------------------------------------------------------------------------

  show(set, page) {
    const player = this.player(set);
    return [
      heading(player, this.label(set), `${this.data.players[player]}, information set ${this.number(set)}`, this.key(set)),
      this.crumbs(set, page),
      this.facts(set, page),
      this.actionTable(set, page),
      this.beliefTable(set, page),
    ];
  }

  crumbs(set, page) {
    const trail = this.trail(set), items = trail.map(step => el("li", {title: (step.among || []).slice(0, 30).join(", ")},
      el("span", {class: "faint"}, step.who ? `${step.who}: ` : ""),
      step.set === NONE ? step.text : page.link(step.set, step.text)));
    if (!items.length) items.push(el("li", {}, "the root"));
    return el("nav", {"aria-label": "moves that lead here"}, el("ol", {class: "crumbs"}, ...items));
  }

  facts(set, page) {
    const head = ["", ...this.profiles.map(profile => this.compared ? profile.name : "")];
    const line = (name, read) => [name, ...this.profiles.map(read)];
    const player = this.data.players[this.player(set)];
    return grid("how play comes here", head, [
      line("play comes here", profile => page.number(profile.reach[set])),
      line(`${player} plays towards it`, profile => page.number(profile.own[set], "differs by node")),
      line("chance and the other player do", profile => page.number(profile.others[set])),
      line("mistakes here lose each time", profile => this.measured(set, profile) ? loss(profile.regret[set])
        : el("span", {class: "faint"}, "open")),
      line("belief", profile => GROUNDS[profile.ground[set]]),
    ], "facts");
  }

  actionTable(set, page) {
    const columns = ["probability", "value", "at best", "loss"], from = this.slot[set];
    const head = ["action", ...this.profiles.flatMap(() => columns), ...(this.compared ? ["difference"] : []), "leads to"];
    const rows = this.actions(set).map((action, a) => {
      const cells = this.profiles.flatMap(profile => [share(page, profile.p[from + a], this.float(profile.p[from + a])),
        page.number(profile.value[from + a], "open"), page.number(profile.best[from + a], ""),
        lossCell(page, profile, from + a, this)]);
      const [one, two] = this.profiles.map(profile => this.float(profile.p[from + a]));
      return [action, ...cells, ...(this.compared ? [signed(two - one)] : []), this.leads(set, a, page)];
    });
    return grid("actions", head, rows, "actions", this.compared ? ["", ...this.profiles.flatMap(profile =>
      [[profile.name, columns.length]]), "", ""] : null);
  }

  leads(set, action, page) {
    const sets = this.next(set, action), most = 4;
    if (!sets.length) return el("span", {class: "faint"}, "the end");
    const links = sets.slice(0, most).flatMap(next => [page.link(next, this.label(next)), " "]);
    if (sets.length <= most) return el("span", {}, ...links);
    const more = el("details", {}, el("summary", {}, `${sets.length > 59 ? "60 or more" : sets.length} sets`));
    more.addEventListener("toggle", () => {
      if (more.childElementCount === 1) more.append(...sets.flatMap(next => [page.link(next, this.label(next)), " "]));
    });
    return more;
  }

  beliefTable(set, page) {
    const nodes = this.nodes(set), from = this.nodeStart[set];
    const columns = ["belief", "play comes here", "worth"];
    const head = ["node", ...this.profiles.flatMap(() => columns)];
    const order = [...nodes.keys()].sort((a, b) => this.float(this.profiles[0].belief[from + b])
      - this.float(this.profiles[0].belief[from + a]) || a - b);
    const row = k => [this.way(nodes[k], page), ...this.profiles.flatMap(profile => [
      share(page, profile.belief[from + k], this.float(profile.belief[from + k])),
      page.number(profile.arrival[from + k]), page.number(profile.worth[from + k])])];
    return longGrid(`${nodes.length.toLocaleString("en")} ${nodes.length === 1 ? "node" : "nodes"}`, head, order, row,
      this.compared ? ["", ...this.profiles.map(profile => [profile.name, columns.length])] : null);
  }

  way(node, page) {
    const parts = this.moves(node).flatMap(move => [" / ",
      move.set === NONE ? move.action : page.link(move.set, move.action)]);
    return el("span", {}, ...(parts.length ? parts.slice(1) : ["the root"]));
  }

  // -- a hand -------------------------------------------------------------------------------------

  deal(seat, number) { return new TreeHand(this, seat, this.profiles[number]); }
}

class TreeHand {
  constructor(tree, seat, profile) {
    Object.assign(this, {tree, seat, profile, node: 0, own: []});
    this.advance();
  }

  get done() { return this.tree.data.nodes[this.node] >= this.tree.ends; }
  get set() { return this.tree.setOf(this.node); }

  advance() {  // draw the moves of chance and of the opponent
    const {tree} = this;
    while (!this.done && (this.set === NONE || tree.player(this.set) !== this.seat)) {
      const code = tree.data.nodes[this.node];
      const shares = this.set === NONE ? tree.data.chance[code][1]
        : tree.actions(this.set).map((_, a) => this.profile.p[tree.slot[this.set] + a]);
      this.node = tree.child[this.node] + draw(shares.map(place => tree.float(place)));
    }
  }

  options() {  // return the actions, with their probabilities in the profile and their losses
    const {tree, profile, set} = this, from = tree.slot[set];
    return {key: set, label: tree.label(set), known: tree.trail(set), actions: tree.actions(set).map((action, a) => (
      {action, share: profile.p[from + a], loss: profile.loss[from + a]}))};
  }

  choose(a) {
    const options = this.options();
    this.own.push({...options, chosen: a});
    this.node = this.tree.child[this.node] + a;
    this.advance();
  }

  all() { return this.tree.moves(this.node).map(move => ({set: move.set, action: move.action,
    who: move.set === NONE ? "chance" : this.tree.data.players[this.tree.player(move.set)]})); }
  payoffs() { return this.tree.data.payoffs[this.tree.data.nodes[this.node] - this.tree.ends]; }
}
