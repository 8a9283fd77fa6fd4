"use strict";
const choice = document.querySelector("select"), spots = [...document.querySelectorAll("section")];
function show() { spots.forEach((spot, i) => { spot.hidden = i !== choice.selectedIndex; }); }
function step(by) {
  choice.selectedIndex = (choice.selectedIndex + by + spots.length) % spots.length; show();
}
choice.onchange = show;
document.getElementById("before").onclick = () => step(-1);
document.getElementById("after").onclick = () => step(1);
show();
