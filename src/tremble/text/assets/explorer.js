"use strict";
// The page: a list of all sets, one set beside it, and hands that the reader plays against the solution.

const NONE = -1;
const $ = id => document.getElementById(id);

function el(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value !== null && value !== false) element.setAttribute(key, value);
  }
  element.append(...children);
  return element;
}

// -- numbers --------------------------------------------------------------------------------------

function decimal(x) { return Number.isInteger(x) ? String(x) : String(Number(x.toPrecision(4))); }
function percent(x) { return x > 0 && x < 0.0005 ? "<0.1%" : x < 1 && x > 0.9995 ? ">99.9%" : `${Number((100 * x).toFixed(1))}%`; }
function signed(x) { return Number.isFinite(x) ? (x > 0 ? "+" : "") + decimal(x) : ""; }
function distinct(values) { return [...new Set(values)]; }
function starts(sizes) {
  const start = new Int32Array(sizes.length + 1);
  sizes.forEach((size, k) => { start[k + 1] = start[k] + size; });
  return start;
}
function sorted(entries, measure) {  // sort by a pair of numbers, the largest first
  const keys = new Map(entries.map(entry => [entry, measure(entry)]));
  return entries.toSorted((a, b) => keys.get(b)[0] - keys.get(a)[0] || keys.get(b)[1] - keys.get(a)[1] || a - b);
}
function draw(shares) {
  let left = Math.random() * shares.reduce((sum, p) => sum + p, 0);
  for (let a = 0; a < shares.length; a++) { left -= shares[a]; if (left < 0 && shares[a] > 0) return a; }
  return shares.findLastIndex(p => p > 0);
}

// -- pieces of the page ----------------------------------------------------------------------------

function heading(player, label, about, key) {
  return el("h2", {}, mark(player), el("span", {class: "label"}, label), " ", el("small", {}, about), " ",
    el("a", {class: "permalink", href: `#${key}`, title: "link to this place"}, "link"));
}
function mark(player) { return el("span", {class: `mark p${player + 1}`, "aria-hidden": "true"}, String(player + 1)); }
function loss(x) { return x > 0 ? el("b", {class: "loss"}, decimal(x)) : "0"; }
function share(page, place, p, once = false) {
  const bar = el("span", {class: "bar", "aria-hidden": "true"}, el("span", {style: `width:${100 * (p || 0)}%`}));
  return el("span", {class: "share"}, bar, page.number(place, "open", once));
}
function lossCell(page, profile, slot, book) {
  const number = page.number(profile.loss[slot], "open");
  const wrong = book.float(profile.loss[slot]) > 0 && book.float(profile.p[slot]) > 0;
  return wrong ? el("b", {class: "loss", title: "played, although another action earns more"}, number) : number;
}
function headRow(cells) {
  return el("tr", {}, ...cells.map(cell => Array.isArray(cell) ? el("th", {colspan: cell[1], scope: "colgroup"}, cell[0])
    : el("th", {scope: "col"}, cell)));
}
function bodyRow(cells) {
  return el("tr", {}, ...cells.map((cell, k) => k ? el("td", {}, cell) : el("th", {scope: "row"}, cell)));
}
function grid(name, head, rows, kind, over = null) {
  const body = el("tbody", {}, ...rows.map(bodyRow));
  const heads = [...(over ? [headRow(over)] : []), ...(head.some(text => text) ? [headRow(head)] : [])];
  return el("div", {class: "wide", role: "region", "aria-label": name, tabindex: "0"},
    el("table", {class: kind}, el("caption", {}, name), el("thead", {}, ...heads), body));
}
function longGrid(name, head, items, row, over = null, kind = "nodes") {  // create the further rows only when the reader requests them
  const most = 60, table = grid(name, head, items.slice(0, most).map(row), kind, over);
  let shown = Math.min(most, items.length);
  const more = el("button", {type: "button", onclick: () => {
    table.querySelector("tbody").append(...items.slice(shown, shown + 500).map(item => bodyRow(row(item))));
    shown = Math.min(shown + 500, items.length);
    tell();
  }});
  const tell = () => { more.textContent = `${items.length - shown} more`; more.hidden = shown >= items.length; };
  tell();
  return el("div", {}, table, more);
}

// -- the page ----------------------------------------------------------------------------------------

const ROW = 46;  // height of a row in pixels, as in the style sheet

class Page {
  constructor(book) {
    this.book = book;
    this.shown = [];
    this.here = NONE;
    this.exact = false;
    this.hand = null;
    this.hands = {played: 0, earned: 0, lost: 0, unknown: 0};
    this.followed = null;  // the fragment of the address that is shown
    this.jumped = null;  // kind and target of the last jump
    this.texts = null;
    this.setUp();
    this.filter();
    this.follow();
  }

  number(place, none = "", once = false) {  // once: show one form, and the other form in the tooltip
    if (place < 0) return el("span", {class: "faint"}, none);
    const {exact, float} = this.book.data.numbers, text = exact[place], about = decimal(float[place]);
    if (this.exact || text === about) return el("span", {class: "n"}, text);
    if (once || text.length > 11) return el("span", {class: "n", title: text}, about);
    return el("span", {class: "n"}, text, " ", el("small", {}, about));
  }

  link(entry, text) {
    return el("a", {href: `#${typeof entry === "string" ? entry : this.book.key(entry)}`}, text);
  }

  // -- the list ----------------------------------------------------------------------------------------

  setUp() {
    const {book} = this, list = $("list");
    $("order").append(...book.orders().map(([name], k) => el("option", {value: k}, name)));
    $("who").append(...book.data.players.map((name, k) => el("option", {value: k}, name)));
    $("seat").append(...book.data.players.map((name, k) => el("option", {value: k}, `play as ${name}`)));
    $("difference").hidden = !book.compared;
    if (book.compared) {
      $("against").append(...book.profiles.map((profile, k) => el("option", {value: k}, `against ${profile.name}`)));
    }
    $("against").hidden = !book.compared;
    for (const name of ["order", "who"]) $(name).addEventListener("change", () => this.filter());
    $("search").addEventListener("input", () => this.filter());
    list.addEventListener("scroll", () => this.fill());
    list.addEventListener("click", event => {
      const row = event.target.closest("[data-entry]");
      if (row) this.open(Number(row.dataset.entry));
    });
    list.addEventListener("keydown", event => this.listKey(event));
    new ResizeObserver(() => this.fill()).observe(list);
    $("loss").addEventListener("click", () => this.jump("loss"));
    $("difference").addEventListener("click", () => this.jump("difference"));
    $("exact").addEventListener("click", () => this.toggleExact());
    $("play").addEventListener("click", () => this.play());
    addEventListener("hashchange", () => { if (location.hash !== this.followed) this.follow(); });
    $("set").addEventListener("click", event => {
      const link = event.target.closest("a");
      if (link && link.hash === location.hash) this.follow();
    });
    addEventListener("keydown", event => this.key(event));
  }

  filter() {
    const {book} = this, words = $("search").value.toLowerCase().split(/\s+/).filter(Boolean), who = $("who").value;
    const all = Array.from({length: book.size}, (_, entry) => entry);
    this.texts ||= words.length ? all.map(entry => book.searched(entry)) : null;
    this.shown = all.filter(entry => (who === "" || book.player(entry) === Number(who))
      && words.every(word => this.texts[entry].includes(word)));
    const measure = book.orders()[Number($("order").value)][1];
    if (measure) this.shown = sorted(this.shown, measure);
    $("space").style.height = `${this.shown.length * ROW}px`;
    $("count").textContent = `${this.shown.length.toLocaleString("en")} of ${book.size.toLocaleString("en")} ${book.unit}`;
    $("list").scrollTop = 0;
    this.fill();
  }

  fill() {  // create only the visible rows
    const list = $("list"), from = Math.max(0, Math.floor(list.scrollTop / ROW) - 5);
    const to = Math.min(this.shown.length, from + Math.ceil(list.clientHeight / ROW) + 10);
    $("rows").replaceChildren(...this.shown.slice(from, to).map((entry, k) => this.row(entry, from + k)));
    $("rows").style.top = `${from * ROW}px`;
    list.setAttribute("aria-activedescendant", this.here === NONE ? "" : `entry${this.here}`);
  }

  row(entry, position) {
    const row = this.book.row(entry, 0);
    const plays = row.actions.map((action, a) => row.shares[a] > 0 ? `${action} ${percent(row.shares[a])}` : "");
    const notes = [row.regret > 1e-12 ? el("b", {class: "loss"}, `loses ${decimal(row.regret)}`) : "",
      row.distance > 0 ? el("span", {class: "differs"}, `differs ${percent(row.distance)}`) : ""];
    return el("div", {role: "option", id: `entry${entry}`, "data-entry": entry, "aria-selected": String(entry === this.here),
      "aria-posinset": position + 1, "aria-setsize": this.shown.length, class: row.reach === 0 ? "row never" : "row"},
    mark(row.player), el("span", {class: "label"}, row.label),
    el("span", {class: "faint"}, Number.isNaN(row.reach) ? "" : percent(row.reach)),
    el("span", {class: "second"}, el("span", {class: "plays faint"}, plays.filter(Boolean).join(", ")), ...notes));
  }

  listKey(event) {
    const at = this.shown.indexOf(this.here), last = this.shown.length - 1, screen = Math.floor($("list").clientHeight / ROW);
    const to = {ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: last, PageDown: at + screen, PageUp: at - screen}[event.key];
    if (to === undefined || last < 0) return;
    event.preventDefault();
    this.open(this.shown[Math.max(0, Math.min(last, to))]);
  }

  // -- one set ------------------------------------------------------------------------------------------

  open(entry) { this.go(`#${this.book.key(entry)}`); }

  boardChosen(key) {  // update the list, whose numbers depend on the board
    this.filter();
    this.go(`#${key}`);
    $("board")?.focus();
  }

  go(fragment) {
    location.hash = fragment;
    this.follow();
  }

  follow() {  // show the set that the fragment of the address names
    const entry = this.book.find(decodeURIComponent(location.hash.slice(1)) || this.book.data.start || "");
    if (entry === NONE && this.here !== NONE) return;
    this.followed = location.hash;
    this.hand = null;
    this.here = entry === NONE ? 0 : entry;
    this.show();
    this.reveal();
  }

  show() {
    if (!this.book.size) return;
    $("set").replaceChildren(...this.book.show(this.here, this));
    $("set").scrollTop = 0;
    document.title = `${this.book.label(this.here)} - ${this.book.data.title}`;
  }

  reveal() {
    const list = $("list"), at = this.shown.indexOf(this.here), top = at * ROW;
    if (at >= 0 && (top < list.scrollTop || top + ROW > list.scrollTop + list.clientHeight)) {
      list.scrollTop = top - list.clientHeight / 2;
    }
    this.fill();
  }

  step(by) {
    const at = this.shown.indexOf(this.here), to = this.shown[at < 0 ? 0 : at + by];
    if (to !== undefined) this.open(to);
  }

  up() {  // go to the set of the previous move
    const links = $("set").querySelectorAll(".crumbs a");
    if (links.length) this.go(links[links.length - 1].getAttribute("href"));
  }

  jump(kind) {  // go to the largest loss or difference, and on each further call to the next largest
    const ranked = this.book.ranked(kind), again = this.jumped === `${kind} ${this.here}`;
    if (!ranked.length) return this.say(kind === "loss" ? "no loss anywhere" : "no difference anywhere");
    const at = again ? (ranked.indexOf(this.here) + 1) % ranked.length : 0;
    this.jumped = `${kind} ${ranked[at]}`;
    this.open(ranked[at]);
    return this.say(`${kind} ${at + 1} of ${ranked.length}`);
  }

  say(text) { $("said").textContent = text; }

  toggleExact() {
    this.exact = !this.exact;
    $("exact").setAttribute("aria-pressed", String(this.exact));
    if (this.hand) this.showHand(); else this.show();
  }

  // -- a hand -------------------------------------------------------------------------------------------

  play() {
    this.hand = this.book.deal(Number($("seat").value), Number($("against").value || 0));
    this.count();
    this.showHand();
  }

  choose(a) {
    if (!this.hand || this.hand.done || a >= this.hand.options().actions.length) return;
    this.hand.choose(a);
    this.count();
    this.showHand();
  }

  count() {  // add a finished hand to the totals
    const {hand, hands} = this;
    if (!hand.done) return;
    hands.played++;
    hands.earned += this.book.float(hand.payoffs()[hand.seat]);
    for (const move of hand.own) {
      const cost = this.book.float(move.actions[move.chosen].loss);
      if (Number.isNaN(cost)) hands.unknown++; else hands.lost += cost;
    }
  }

  showHand() {
    const {hand} = this, name = this.book.data.players[hand.seat];
    $("set").replaceChildren(
      el("h2", {}, mark(hand.seat), el("span", {class: "label"}, "A hand"), " ", el("small", {}, `you are ${name}`)),
      ...hand.own.map(move => this.cost(move)), ...(hand.done ? this.ending() : this.question()), this.record());
    $("set").querySelector("button")?.focus();
  }

  cost(move) {
    const taken = move.actions[move.chosen], best = move.actions.filter(each => this.book.float(each.loss) === 0);
    const plays = move.actions.filter(each => this.book.float(each.share) > 0)
      .map(each => `${each.action} ${percent(this.book.float(each.share))}`).join(", ");
    const worth = this.book.float(taken.loss);
    const verdict = Number.isNaN(worth) ? "has an unknown cost"
      : worth > 0 ? el("b", {class: "loss"}, "cost ", this.number(taken.loss), `; best: ${best.map(each => each.action).join(" or ")}`)
        : "cost nothing";
    return el("p", {class: "move"}, this.link(move.key, move.label), ` \u2013 you played ${taken.action}, which `, verdict,
      el("span", {class: "faint"}, `. The solution plays ${plays}.`));
  }

  question() {
    const options = this.hand.options();
    return [
      el("ol", {class: "crumbs"}, ...options.known.map(step => el("li", {},
        el("span", {class: "faint"}, step.who ? `${step.who}: ` : ""), step.text))),
      el("p", {role: "status"}, el("b", {}, options.label), " \u2013 what do you do?"),
      el("p", {class: "choices"}, ...options.actions.map(({action}, a) => el("button", {type: "button",
        onclick: () => this.choose(a)}, el("kbd", {}, String(a + 1)), ` ${action}`))),
    ];
  }

  ending() {
    const {hand} = this, [one, two] = hand.payoffs(), [mine, theirs] = hand.seat ? [two, one] : [one, two];
    return [
      el("p", {role: "status"}, "The hand is over: you earn ", el("b", {}, this.number(mine)), ", the other player ",
        this.number(theirs), "."),
      el("ol", {class: "crumbs"}, ...hand.all().map(move => el("li", {}, el("span", {class: "faint"}, `${move.who}: `),
        move.set === NONE ? move.action : this.link(move.set, move.action)))),
      el("p", {class: "choices"}, el("button", {type: "button", onclick: () => this.play()}, el("kbd", {}, "p"), " next hand")),
    ];
  }

  record() {
    const {played, earned, lost, unknown} = this.hands;
    const open = unknown ? `; the cost of ${unknown} of them is unknown` : "";
    return el("p", {class: "faint"}, played ? `${played} ${played === 1 ? "hand" : "hands"}: you earned ${decimal(earned)}, `
      + `and your moves cost ${decimal(lost)}${open}.` : "");
  }

  // -- keys ---------------------------------------------------------------------------------------------

  key(event) {
    const typing = event.target.matches("input, select, textarea");
    if (event.key === "Escape") return typing ? $("list").focus() : this.leave();
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return undefined;
    const act = {"/": () => $("search").focus(), j: () => this.step(1), k: () => this.step(-1), u: () => this.up(),
      l: () => this.jump("loss"), d: () => this.book.compared && this.jump("difference"), e: () => this.toggleExact(),
      p: () => this.play(), "?": () => $("keys").focus()}[event.key];
    if (act) { event.preventDefault(); act(); } else if (/^[1-9]$/.test(event.key)) this.digit(Number(event.key) - 1);
    return undefined;
  }

  digit(a) {  // play an action in a hand, or else follow its link
    if (this.hand) return this.choose(a);
    const row = $("set").querySelectorAll("table.actions tbody tr")[a], link = row && row.querySelector("td:last-child a");
    if (link) this.go(link.getAttribute("href"));
    return undefined;
  }

  leave() {
    if (!this.hand) return;
    this.hand = null;
    this.show();
  }
}

async function openPage() {
  const data = JSON.parse($("data").textContent);
  $("data").remove();
  const page = new Page(data.kind === "tree" ? new Tree(data) : await Hands.open(data));
  document.documentElement.dataset.ready = String(Math.round(performance.now()));
  return page;
}
const explorer = openPage();
