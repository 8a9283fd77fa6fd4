"use strict";
const main = document.querySelector("main"), svg = main.querySelector("svg"), tip = document.getElementById("tip");
const whole = svg.viewBox.baseVal, page = {w: whole.width, h: whole.height};
svg.removeAttribute("width"); svg.removeAttribute("height");
svg.setAttribute("preserveAspectRatio", "xMinYMin meet");
let view;
function show(v) { view = v; svg.setAttribute("viewBox", [v.x, v.y, v.w, v.h].join(" ")); }
function fit() {
  // a very long or tall picture starts at its root, at a size that can be read
  const box = main.getBoundingClientRect(), all = Math.max(page.w / box.width, page.h / box.height, 1e-9);
  if (all < 2.2) {
    const s = Math.max(all, 0.55), w = box.width * s, h = box.height * s;
    return show({x: (page.w - w) / 2, y: Math.min(0, (page.h - h) / 2), w, h});
  }
  const root = svg.querySelector(".node"), at = root ? root.getBBox() : {x: 0, y: 0};
  const w = box.width * 1.2, h = box.height * 1.2, wide = page.w > page.h && at.x > page.w / 4;
  show({x: wide ? at.x - w / 2 : 0, y: wide ? 0 : Math.max(0, at.y - h / 2), w, h});
}
function scale() { const b = main.getBoundingClientRect(); return Math.max(view.w / b.width, view.h / b.height); }
function zoom(f, cx, cy) {
  const b = main.getBoundingClientRect(), s = scale();
  const px = view.x + (cx - b.left) * s, py = view.y + (cy - b.top) * s;
  const w = Math.min(Math.max(view.w * f, 40), 40 * Math.max(page.w, page.h)), g = w / view.w;
  show({x: px - (px - view.x) * g, y: py - (py - view.y) * g, w, h: view.h * g});
}
function middle(f) {
  const b = main.getBoundingClientRect(); zoom(f, b.left + b.width / 2, b.top + b.height / 2);
}
main.addEventListener("wheel", e => { e.preventDefault(); zoom(Math.exp(e.deltaY * 0.0015), e.clientX, e.clientY); },
  {passive: false});
const fingers = new Map();
main.addEventListener("pointerdown", e => {
  if (e.target.closest("#zoom")) return;
  fingers.set(e.pointerId, e); main.setPointerCapture(e.pointerId); main.classList.add("held");
});
main.addEventListener("pointermove", e => {
  const last = fingers.get(e.pointerId);
  if (last) {
    const s = scale(), other = [...fingers.values()].find(o => o.pointerId !== e.pointerId);
    if (other) {
      const was = Math.hypot(last.clientX - other.clientX, last.clientY - other.clientY);
      const now = Math.hypot(e.clientX - other.clientX, e.clientY - other.clientY);
      if (now > 1) zoom(was / now, (e.clientX + other.clientX) / 2, (e.clientY + other.clientY) / 2);
    } else {
      show({...view, x: view.x - (e.clientX - last.clientX) * s, y: view.y - (e.clientY - last.clientY) * s});
    }
    fingers.set(e.pointerId, e);
  }
  if (fingers.size) { tip.style.display = "none"; return; }
  point(e);
});
for (const end of ["pointerup", "pointercancel"]) main.addEventListener(end, e => {
  fingers.delete(e.pointerId); if (!fingers.size) main.classList.remove("held");
});
for (const t of svg.querySelectorAll("g title, text title")) { t.parentNode.dataset.tip = t.textContent; t.remove(); }
const rows = document.querySelectorAll("tr[data-set]");
let lit = null;
function light(key) {
  if (key === lit) return;
  lit = key;
  for (const e of document.querySelectorAll(".hit")) e.classList.remove("hit");
  if (key) for (const e of document.querySelectorAll(`[data-set="${key}"]`)) e.classList.add("hit");
}
function point(e) {
  const told = e.target.closest("[data-tip]"), set = e.target.closest("[data-set]");
  light(set ? set.dataset.set : null);
  tip.style.display = told ? "block" : "none";
  if (!told) return;
  tip.textContent = told.dataset.tip;
  const b = tip.getBoundingClientRect();
  tip.style.left = Math.max(4, Math.min(e.clientX + 14, innerWidth - b.width - 8)) + "px";
  tip.style.top = Math.max(4, Math.min(e.clientY + 14, innerHeight - b.height - 8)) + "px";
}
main.addEventListener("pointerleave", () => { tip.style.display = "none"; light(null); });
main.addEventListener("click", e => {
  const set = e.target.closest("[data-set]");
  const row = set && document.querySelector(`tr[data-set="${set.dataset.set}"]`);
  if (row) row.scrollIntoView({block: "center"});
});
for (const r of rows) r.addEventListener("mouseenter", () => light(r.dataset.set));
document.querySelector("aside").addEventListener("mouseleave", () => light(null));
document.getElementById("in").onclick = () => middle(0.8);
document.getElementById("out").onclick = () => middle(1.25);
document.getElementById("fit").onclick = fit;
addEventListener("keydown", e => {
  const step = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]}[e.key];
  if (e.ctrlKey || e.metaKey || e.altKey || (step && document.activeElement.closest("aside"))) return;
  if (e.key === "+" || e.key === "=") middle(0.8);
  else if (e.key === "-") middle(1.25);
  else if (e.key === "0") fit();
  else if (step) show({...view, x: view.x + step[0] * view.w / 8, y: view.y + step[1] * view.h / 8});
  else return;
  e.preventDefault();
});
fit();
