"use strict";
// Open an explorer page of a turn without a browser: run its scripts with a small model of a document, and print what
// the page computes as JSON.
const fs = require("fs"), vm = require("vm");

class Element {
  constructor(name) { Object.assign(this, {name, attributes: {}, children: [], style: {}, dataset: {}, value: ""}); }
  setAttribute(key, value) { this.attributes[key] = String(value); }
  getAttribute(key) { return this.attributes[key]; }
  addEventListener() {}
  append(...children) { this.children.push(...children); }
  replaceChildren(...children) { this.children = children; }
  querySelector() { return null; }
  querySelectorAll() { return []; }
  focus() {}
  remove() {}
  get textContent() { return this.children.map(child => (child instanceof Element ? child.textContent : child)).join(""); }
  set textContent(text) { this.children = [text]; }
}

const html = fs.readFileSync(process.argv[2], "utf8"), known = new Map();
const byId = id => {
  if (!known.has(id)) known.set(id, new Element(id));
  return known.get(id);
};
byId("data").textContent = html.match(/<script type="application\/json" id="data">([\s\S]*?)<\/script>/)[1];
byId("order").value = "0";
const scripts = [...html.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(found => found[1]).join("\n");
const context = vm.createContext({Blob, DecompressionStream, Response, atob, performance, addEventListener() {}, location: {hash: ""},
  ResizeObserver: class { observe() {} }, document: {createElement: name => new Element(name), getElementById: byId,
    documentElement: new Element("html")}});

vm.runInContext(`${scripts};explorer`, context).then(page => {
  const {book} = page, decisions = {}, start = `${book.label(page.here)} ${book.data.rounds[1].boards[book.board[1]]}`;
  book.choose(1, -1);  // all river cards
  book.entries.forEach((at, entry) => {
    const {count, held} = book.rounds[at.round], {dealt} = book.range(at, 0), hands = {};
    for (let i = 0; i < count; i++) {
      if (dealt[i]) hands[book.data.hands[held[i]]] = ["ev", "equity"].map(kind => book.value(kind, at, 0, i));
    }
    decisions[book.label(entry)] = {shares: book.summary(entry, 0).shares, hands};
    for (const view of ["play", "weight", "ev", "equity"]) {
      book.view = view;
      book.show(entry, page);
    }
  });
  let played = 0;
  for (; played < 200; played++) {
    const hand = book.deal(played % 2, 0);
    while (!hand.done) hand.choose(Math.floor(Math.random() * hand.options().actions.length));
    const [one, two] = hand.payoffs().map(place => book.float(place));
    if (one + two !== 0) throw new Error(`payoffs ${one} and ${two}`);
    hand.all();
  }
  console.log(JSON.stringify({start, played, decisions}));
});
