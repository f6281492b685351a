
// The memories settle under four forces: links pull, neighbours push, a category keeps together, the middle holds.
// Who pushes whom is found through a grid, so thousands of memories stay fluid.
"use strict";
const { nodes, edges, exported } = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);
const canvas = byId("canvas"), context = canvas.getContext("2d");
const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
const REACH = 90, LENGTH = 60;

const groups = [...new Set(nodes.map((node) => node.group))].sort();
const colour = new Map(groups.map((group, n) => [group, `hsl(${Math.round((n * 137.5 + 205) % 360)} 58% 52%)`]));
const hidden = new Set();
let view = { x: 0, y: 0, scale: 1 }, heat = 1, chosen = null, over = null, found = null, moved = false;

const centres = new Map(groups.map((group, n) => {
  const angle = (n / groups.length) * 2 * Math.PI, far = groups.length > 1 ? 22 * Math.sqrt(nodes.length) : 0;
  return [group, { x: Math.cos(angle) * far, y: Math.sin(angle) * far }];
}));
nodes.forEach((node, n) => {  // a sunflower around the category's centre: the same picture every time
  const centre = centres.get(node.group), angle = n * 2.39996, far = 12 * Math.sqrt(n);
  Object.assign(node, { x: centre.x + Math.cos(angle) * far, y: centre.y + Math.sin(angle) * far, vx: 0, vy: 0 });
  node.links = [];
  node.words = `${node.title} ${node.id} ${node.tags.join(" ")} ${node.text}`.toLowerCase();
});
for (const [from, to, relation] of edges) {
  nodes[from].links.push({ to: nodes[to], relation, out: true });
  if (from !== to) nodes[to].links.push({ to: nodes[from], relation, out: false });
}
for (const node of nodes) node.size = 4 + 5 * node.credit + Math.min(6, Math.sqrt(node.links.length));

function push() {
  const grid = new Map();
  for (const node of nodes) {
    const key = `${Math.floor(node.x / REACH)},${Math.floor(node.y / REACH)}`;
    if (!grid.has(key)) grid.set(key, []);
    grid.get(key).push(node);
  }
  for (const [key, here] of grid) {
    const [column, row] = key.split(",").map(Number);
    for (let dx = -1; dx <= 1; dx++) for (let dy = -1; dy <= 1; dy++) {
      const there = grid.get(`${column + dx},${row + dy}`);
      if (there) for (const a of here) for (const b of there.slice(0, 60)) if (a !== b) apart(a, b);
    }
  }
}

function apart(a, b) {
  const dx = a.x - b.x || 0.1, dy = a.y - b.y || 0.1, square = dx * dx + dy * dy;
  if (square > REACH * REACH) return;
  const force = (heat * 260) / (square + 40);
  a.vx += (dx / Math.sqrt(square)) * force;
  a.vy += (dy / Math.sqrt(square)) * force;
}

function pull() {
  for (const [from, to] of edges) {
    const a = nodes[from], b = nodes[to], dx = b.x - a.x, dy = b.y - a.y, far = Math.hypot(dx, dy) || 1;
    const force = (heat * 0.06 * (far - LENGTH)) / far;
    a.vx += dx * force; a.vy += dy * force; b.vx -= dx * force; b.vy -= dy * force;
  }
  for (const node of nodes) {
    const centre = centres.get(node.group);
    node.vx += (centre.x - node.x) * 0.012 * heat - node.x * 0.004 * heat;
    node.vy += (centre.y - node.y) * 0.012 * heat - node.y * 0.004 * heat;
  }
}

function step() {
  push(); pull();
  for (const node of nodes) {
    if (node !== held) { node.x += Math.max(-30, Math.min(30, node.vx)); node.y += Math.max(-30, Math.min(30, node.vy)); }
    node.vx *= 0.55; node.vy *= 0.55;
  }
  heat *= 0.985;
}

function fit() {
  const xs = nodes.map((node) => node.x), ys = nodes.map((node) => node.y);
  const least = (all) => all.reduce((a, b) => Math.min(a, b), Infinity), most = (all) => -least(all.map((x) => -x));
  const [left, right, top, bottom] = nodes.length ? [least(xs), most(xs), least(ys), most(ys)] : [0, 0, 0, 0];
  const wide = canvas.clientWidth, high = canvas.clientHeight;
  view.scale = Math.min(2, (wide - 140) / (right - left + 40), (high - 160) / (bottom - top + 40));
  view.x = wide / 2 - ((left + right) / 2) * view.scale;
  view.y = high / 2 - ((top + bottom) / 2) * view.scale;
}

const visible = (node) => !hidden.has(node.group);
const lit = (node) => (found ? found.has(node) : !focus() || node === focus() || near.has(node));
const focus = () => over || chosen;
let near = new Set();

function draw() {
  const style = getComputedStyle(document.documentElement), ink = style.getPropertyValue("--ink");
  const line = style.getPropertyValue("--edge"), dim = style.getPropertyValue("--dim"), ratio = devicePixelRatio || 1;
  near = new Set(focus() ? focus().links.map((link) => link.to) : []);
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, canvas.clientWidth, canvas.clientHeight);
  context.setTransform(ratio * view.scale, 0, 0, ratio * view.scale, ratio * view.x, ratio * view.y);
  for (const strong of [false, true]) {
    context.beginPath();
    for (const [from, to] of edges) {
      const a = nodes[from], b = nodes[to];
      if (!visible(a) || !visible(b) || (a === focus() || b === focus()) !== strong) continue;
      context.moveTo(a.x, a.y); context.lineTo(b.x, b.y);
    }
    context.strokeStyle = strong ? dim : line;
    context.lineWidth = (strong ? 1.6 : 1) / view.scale;
    context.stroke();
  }
  for (const node of nodes) {
    if (!visible(node)) continue;
    context.globalAlpha = lit(node) ? 1 : 0.18;
    context.beginPath(); context.arc(node.x, node.y, node.size, 0, 7);
    context.fillStyle = colour.get(node.group); context.fill();
    if (node === chosen) { context.lineWidth = 2 / view.scale; context.strokeStyle = ink; context.stroke(); }
  }
  label(ink, style.getPropertyValue("--back"));
  context.globalAlpha = 1;
}

// Names are drawn as long as there is room for them: the chosen and the found first, then the most linked.
function label(ink, back) {
  const taken = [], size = 12 / view.scale;
  context.font = `${size}px system-ui, sans-serif`; context.textAlign = "center"; context.textBaseline = "top"; context.lineJoin = "round";
  const first = (node) => (node === focus() ? 1e6 : 0) + (near.has(node) ? 1e4 : 0) + (found && found.has(node) ? 1e5 : 0);
  const order = nodes.filter((node) => visible(node) && lit(node))
    .sort((a, b) => first(b) + b.links.length + b.credit - first(a) - a.links.length - a.credit).slice(0, 400);
  for (const node of order) {
    const text = node.title.length > 34 ? node.title.slice(0, 33) + "…" : node.title;
    const wide = context.measureText(text).width, x = node.x, y = node.y + node.size + 2 / view.scale;
    const box = [x - wide / 2, y, x + wide / 2, y + size * 1.25];
    if (taken.some((b) => box[0] < b[2] && box[2] > b[0] && box[1] < b[3] && box[3] > b[1])) continue;
    taken.push(box);
    context.globalAlpha = 0.85; context.strokeStyle = back; context.lineWidth = 3 / view.scale; context.strokeText(text, x, y);
    context.globalAlpha = 1; context.fillStyle = ink; context.fillText(text, x, y);
  }
}

let asked = false;
function redraw() {
  if (!asked) { asked = true; requestAnimationFrame(() => { asked = false; frame(); }); }
}
function frame() {
  if (heat > 0.03) { step(); if (!moved) fit(); redraw(); }
  draw();
}
function resize() {
  const ratio = devicePixelRatio || 1;
  canvas.width = canvas.clientWidth * ratio; canvas.height = canvas.clientHeight * ratio;
  if (!moved) fit();
  redraw();
}

// Looking closer

function make(tag, text, parent) {
  const made = document.createElement(tag);
  made.textContent = text;
  parent.append(made);
  return made;
}

function choose(node) {
  chosen = node;
  byId("panel").hidden = !node;
  const shown = byId("shown");
  shown.replaceChildren();
  if (node) {
    make("h2", node.title, shown);
    make("p", node.path, shown);
    make("p", `credit ${node.credit.toFixed(2)} · updated ${node.date}` + node.tags.map((tag) => ` · #${tag}`).join(""), shown);
    make("pre", node.text, shown);
    if (node.links.length) make("h3", "Links", shown);
    for (const link of node.links) {
      const button = make("button", "", shown);
      make("small", link.out ? `${link.relation} → ` : `← ${link.relation} `, button);
      button.append(link.to.title);
      button.onclick = () => choose(link.to);
    }
    shown.parentElement.scrollTop = 0;
  }
  redraw();
}

function search() {
  const words = byId("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  found = words.length ? new Set(nodes.filter((node) => words.every((word) => node.words.includes(word)))) : null;
  byId("count").textContent = found ? `${found.size} of ${nodes.length}`
    : `${nodes.length} memories, ${edges.length} links · ${exported.slice(0, 10)}`;
  redraw();
}

for (const group of groups) {
  const button = make("button", "", byId("groups")), dot = make("canvas", "", button);
  dot.width = dot.height = 20;
  const pen = dot.getContext("2d");
  pen.fillStyle = colour.get(group); pen.beginPath(); pen.arc(10, 10, 9, 0, 7); pen.fill();
  button.append(`${group} ${nodes.filter((node) => node.group === group).length}`);
  button.setAttribute("aria-pressed", "true");
  button.onclick = () => {
    if (!hidden.delete(group)) hidden.add(group);
    button.setAttribute("aria-pressed", String(!hidden.has(group)));
    redraw();
  };
}

// Hands

let held = null, from = null;
const world = (event) => ({ x: (event.offsetX - view.x) / view.scale, y: (event.offsetY - view.y) / view.scale });
function under(event) {
  const { x, y } = world(event);
  let best = null, least = Infinity;
  for (const node of nodes) {
    const far = Math.hypot(node.x - x, node.y - y);
    if (visible(node) && far < node.size + 5 / view.scale && far < least) { best = node; least = far; }
  }
  return best;
}
canvas.onpointerdown = (event) => {
  held = under(event); from = { x: event.offsetX, y: event.offsetY, view: { ...view }, far: 0 };
  canvas.setPointerCapture(event.pointerId);
};
canvas.onpointermove = (event) => {
  if (!from) { over = under(event); canvas.style.cursor = over ? "pointer" : "grab"; redraw(); return; }
  const dx = event.offsetX - from.x, dy = event.offsetY - from.y;
  from.far = Math.max(from.far, Math.hypot(dx, dy));
  if (from.far < 4) return;
  moved = true;
  if (held) { Object.assign(held, world(event)); heat = Math.max(heat, still ? 0 : 0.25); }
  else { view.x = from.view.x + dx; view.y = from.view.y + dy; }
  redraw();
};
canvas.onpointerup = () => { if (from && from.far < 4) choose(held); held = from = null; redraw(); };
canvas.onwheel = (event) => {
  event.preventDefault();
  moved = true;
  const { x, y } = world(event);
  view.scale = Math.max(0.02, Math.min(8, view.scale * Math.exp(-event.deltaY * 0.0015)));
  view.x = event.offsetX - x * view.scale; view.y = event.offsetY - y * view.scale;
  redraw();
};
byId("search").oninput = search;
byId("search").onkeydown = (event) => {
  if (event.key === "Enter" && found && found.size) choose([...found][([...found].indexOf(chosen) + 1) % found.size]);
};
byId("close").onclick = () => choose(null);
document.onkeydown = (event) => {
  if (event.key === "Escape") choose(null);
  if (event.key === "/" && document.activeElement !== byId("search")) { event.preventDefault(); byId("search").focus(); }
};
addEventListener("resize", resize);
for (let n = 0; n < (still ? 300 : nodes.length > 1500 ? 40 : 120); n++) step();  // most of it before anybody looks
if (still) heat = 0;
search();
resize();
