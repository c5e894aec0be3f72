"use strict";
// Shows what the page holds. Which events a rewind drops, and why, is looked up, never worked out.

const data = JSON.parse(document.getElementById("data").textContent);
const by = (id) => document.getElementById(id);
const SVG = "http://www.w3.org/2000/svg";
const FATES = ["invalidated", "possible", "unknown", "independent"];
const NAMES = ["invalid", "possible", "unknown", "independent"];
const SIGNS = { invalidated: "╳", possible: "~", unknown: "?", independent: "○", kept: "" };
const WORDS = { unknown: "cause unknown", independent: "no recorded dependence" };
const FIELDS = new Set(["fields", "causes", "effects", "blobs"]);
const LANES = 6;
const CELL = 8;

const indexOf = new Map(data.rows.map((row, index) => [row.seq, index]));
const elements = [];
const state = { chosen: 0, preview: null, query: "", wrong: "" };

function element(tag, text, ...classes) {
  const made = document.createElement(tag);
  if (text) made.textContent = text;
  made.classList.add(...classes.filter(Boolean));
  return made;
}

function laneClass(lane) {
  return lane === null || lane < 0 ? "lane" : `lane lane${lane % LANES}`;
}

function drawRails(row, width) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", "rails");
  svg.setAttribute("width", width);
  svg.setAttribute("height", 24);
  svg.setAttribute("viewBox", `0 0 ${width} 24`);
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("aria-hidden", "true");
  for (const [lane, path, dashed] of row.strokes) {
    const made = document.createElementNS(SVG, "path");
    made.setAttribute("class", laneClass(lane) + (dashed ? " dashed" : ""));
    made.setAttribute("d", path);
    svg.append(made);
  }
  if (row.dot) {
    const [lane, x, node] = row.dot;
    const made = document.createElementNS(SVG, "ellipse");
    made.setAttribute("class", `${laneClass(lane)} ${node}`);
    made.setAttribute("cx", x);
    made.setAttribute("cy", 12);
    made.setAttribute("rx", 4);
    made.setAttribute("ry", 4);
    svg.append(made);
  }
  return svg;
}

function widthOfRails() {
  let cells = 0;
  for (const row of data.rows) {
    for (const [, path] of row.strokes) {
      for (const [, x] of path.matchAll(/[MH](\d+)/g)) cells = Math.max(cells, Number(x));
    }
    if (row.dot) cells = Math.max(cells, row.dot[1] + CELL);
  }
  return cells + CELL / 2;
}

function laneTitle(row) {
  return row.lane >= 0 && data.lanes[row.lane] ? data.lanes[row.lane][0] : "";
}

function build() {
  const width = widthOfRails();
  const digits = Math.max(...data.rows.map((row) => (row.seq || "").length), 1);
  const list = document.createDocumentFragment();
  data.rows.forEach((row, index) => {
    const made = element("div", "", "row", row.dim && "dim", (row.marks || []).includes("failed") && "failed");
    made.id = `row${index}`;
    made.setAttribute("role", "option");
    made.setAttribute("aria-selected", "false");
    made.dataset.seq = row.seq || "";
    made.append(
      element("span", (row.seq || "").padStart(digits), "seq"),
      drawRails(row, width),
      element("span", row.sign, "sign", "·§".includes(row.sign || " ") && "quiet"),
      element("span", row.tool, "tool"),
      element("span", row.text, "text"),
      element("span", [...(row.marks || []), row.note].filter(Boolean).join(" · "), "marks"),
      element("span", row.took, "took"),
      element("span", "", "fate"),
    );
    made.addEventListener("click", () => choose(index));
    elements.push(made);
    list.append(made);
  });
  by("rows").append(list);
  by("rows").style.setProperty("--rails", `${width + CELL * 3 / 2}px`);
}

// --- rewind previews

function unpack(runs, first) {
  const fates = new Array(data.rows.length).fill(0);
  let index = first;
  for (const run of runs ? runs.split(",") : []) {
    const [number, count] = run.split("*");
    fates.fill(Number(number), index, (index += Number(count || 1)));
  }
  return fates;
}

function previewOf(seq) {
  if (data.asked && data.asked.seq === seq) {
    return { ...data.asked, fates: unpack(data.asked.runs, data.asked.first) };
  }
  const index = indexOf.get(seq);
  const counts = index === undefined ? null : data.counts[index];
  const others = data.others[index];
  return counts ? { seq, first: index + 1, counts, others, fates: unpack(data.rewinds[index], index + 1) } : null;
}

// How many events of each fate there are in the ledger, as counted by the exporter, and on this page.
function tally(preview) {
  const here = preview.fates.map((number) => data.states[number][0]);
  return FATES.map((fate, index) => [preview.counts[index], here.filter((each) => each === fate).length]);
}

function barOf(preview) {
  const counts = tally(preview);
  const away = counts.reduce((sum, [all, here]) => sum + all - here, 0);
  const [events, sessions] = preview.others || [0, 0];
  const elsewhere = events ? `, ${events} of them in ${sessions} other session${sessions > 1 ? "s" : ""}` : "";
  const said = preview.bar || [`Keep ≤ ${preview.seq}`, ...counts.map(([all], index) => `${all} ${NAMES[index]}${index === 3 ? elsewhere : ""}`),
    "undoing nothing on disk"].join(" · ");
  return away > 0 ? `${said} · ${away} of these not on this page` : said;
}

function fateWords(fate, rules, index, preview) {
  const told = preview.words && preview.words[index - preview.first];
  const said = told || WORDS[fate] || (rules.length ? `${rules.length > 1 ? "rules" : "rule"} ${rules.join(" ")}` : "");
  const name = told ? "" : { invalidated: "goes", possible: "possibly goes" }[fate];
  return [SIGNS[fate], name, said].filter(Boolean).join(" ");
}

function showPreview() {
  const preview = state.preview;
  elements.forEach((made, index) => {
    const [fate, rules] = data.states[preview ? preview.fates[index] : 0];
    const target = preview !== null && data.rows[index].seq === preview.seq;
    made.classList.remove(...FATES, "target");
    if (fate !== "kept") made.classList.add(fate);
    if (target) made.classList.add("target");
    made.dataset.fate = preview ? fate : "";
    made.dataset.rules = rules.join(" ");
    made.querySelector(".fate").textContent = target
      ? "↺ rewind to here" : preview ? fateWords(fate, rules, index, preview) : "";
  });
  document.body.classList.toggle("previewing", preview !== null);
  by("leave").hidden = preview === null;
  by("bar").textContent = preview === null ? hint() : barOf(preview);
}

function hint() {
  if (state.wrong) return state.wrong;
  const shown = elements.filter((made) => !made.hidden).length;
  return state.query ? `${shown} of ${elements.length} rows fit the filter` : `${elements.length} rows`;
}

function preview(seq) {
  const found = seq === null ? null : previewOf(seq);
  if (seq !== null && found === null) {
    by("bar").textContent = data.rewinds.length
      ? `no rewind to ${seq || "this row"}: no agent event` : "no preview here: this page holds only the one asked for";
    return;
  }
  state.preview = found;
  showPreview();
  if (state.query) filter();
  showDetails();
  remember();
}

// --- filter

const TERM = /\s*(-?)(?:([A-Za-z_]+):)?(?:"((?:[^"\\]|\\.)*\\?)(?:"(?=\s|$)|$)|(\S*))/suy;
const NUMBER = /^(>=|<=|>|<|=|)(\d+(?:\.\d+)?)(?:(?:\.\.|-)(\d+(?:\.\d+)?))?$/;
const ALIASES = { actor: "agent" };
const VALUES = {
  seq: (row) => row.n ?? (row.seq ? Number(row.seq) : undefined),
  ms: (row) => row.ms,
  lane: (row) => (data.lanes[row.lane] || [])[2],
  session: (row) => (data.lanes[row.lane] || [])[3],
};

function parse(text) {
  const found = [];
  TERM.lastIndex = 0;
  while (text.slice(TERM.lastIndex).trim()) {
    const [written, not, name, quoted, bare] = TERM.exec(text);
    const value = (quoted === undefined ? bare : quoted.replace(/\\(["\\])/g, "$1")).toLowerCase();
    const key = (name || "").toLowerCase();
    found.push([not !== "", meaning(ALIASES[key] || key, value, written.trim())]);
  }
  return found;
}

function refuse(written, why) {
  throw new Error(`not a filter of this page: ${written.slice(0, 80)}${why}`);
}

function meaning(key, value, written) {
  if (!value) refuse(written, key ? " is not finished" : " names nothing");
  if (key === "is" && value === "dropped") {
    if (!state.preview) refuse(written, " works in a preview, after r");
    return (row, index) => ["invalidated", "possible"].includes(data.states[state.preview.fates[index]][0]);
  }
  if (Object.hasOwn(data.filter, key)) {
    if (!data.filter[key].includes(value)) refuse(written, `; ${key}: takes ${data.filter[key].join(", ")}`);
    return (row) => data.facts[row.facts].includes(`${key}:${value}`);
  }
  if (Object.hasOwn(VALUES, key)) return numbers(VALUES[key], value, written);
  switch (key) {
    case "": return (row) => haystack(row).includes(value);
    case "tool": return (row) => (row.name || row.tool || "").toLowerCase().includes(value);
    case "agent": return (row) => data.agents[row.agent].toLowerCase().includes(value);
    case "path": return (row) => (row.paths || []).some((path) => path.toLowerCase().includes(value));
    default: return refuse(written, "; it knows tool: agent: kind: is: has: path: lane: session: seq: ms: and words");
  }
}

function numbers(valueOf, value, written) {
  const [, sign, from, to] = NUMBER.exec(value) || refuse(written, " is no number: write 7, >7 or 7..9");
  if (to !== undefined && (sign || Number(to) < Number(from))) refuse(written, " fits nothing");
  const low = Number(from);
  return (row) => {
    const number = valueOf(row);
    if (number === undefined) return false;
    if (to !== undefined) return low <= number && number <= Number(to);
    return { ">": number > low, ">=": number >= low, "<": number < low, "<=": number <= low }[sign] ?? number === low;
  };
}

function haystack(row) {
  if (row.hay === undefined) {
    const lines = row.details.flatMap(([, , rest]) => rest.map(([label, text]) => `${label} ${text}`));
    row.hay = [row.seq, row.tool, row.text, row.note, laneTitle(row), data.agents[row.agent], ...lines].join("\n").toLowerCase();
  }
  return row.hay;
}

// A filter that cannot be understood is said to be so, and the rows stay.
function filter() {
  state.wrong = "";
  try {
    const words = parse(state.query);
    data.rows.forEach((row, index) => {
      elements[index].hidden = !words.every(([not, fits]) => fits(row, index) !== not);
    });
  } catch (error) {
    state.wrong = error.message;
  }
  by("filter").setAttribute("aria-invalid", String(state.wrong !== ""));
  by("bar").textContent = state.preview === null || state.wrong ? hint() : barOf(state.preview);
  if (elements.length && elements[state.chosen].hidden) first();
}

// --- details

function linkTo(index, text) {
  const made = element("a", text);
  made.href = `#seq=${encodeURIComponent(data.rows[index].seq)}`;
  made.addEventListener("click", (event) => { event.preventDefault(); choose(index); });
  return made;
}

function fieldLines(lines) {
  const list = element("dl");
  for (const [label, text, style, target] of lines) {
    const value = element("dd", target < 0 ? text : "", style && `s-${style}`);
    if (target >= 0) value.append(linkTo(target, text));
    list.append(element("dt", label), value);
  }
  return list;
}

function textLines(lines, ...classes) {
  const block = element("pre", "", ...classes);
  for (const [label, text, style] of lines) {
    block.append(element("span", `${label ? `${label}: ` : ""}${text}`, style && `s-${style}`), "\n");
  }
  return block;
}

function effects(row) {
  const found = previewOf(row.seq || "");
  if (found === null) return [];
  const lines = tally(found).slice(0, 2).flatMap(([all, here], index) => {
    const away = all > here ? `, ${all - here} of them not on this page` : "";
    return all ? [[["invalidated", "possible"][index], `${all} of the later events${away}: r shows which`, "", -1]] : [];
  });
  if (!lines.length) lines.push(["", "nothing later depends on it", "note", -1]);
  return [element("h2", "what a rewind to here carries away"), fieldLines(lines)];
}

function section([title, kind, lines]) {
  return [element("h2", title), FIELDS.has(kind) ? fieldLines(lines) : textLines(lines)];
}

function showDetails() {
  const row = data.rows[state.chosen];
  if (!row) return;
  const parts = [];
  if (state.preview && state.preview.report && row.seq === state.preview.seq) {
    parts.push(element("h2", "rewind preview"), textLines(state.preview.report.map((text) => ["", text, ""])));
  }
  const isAbout = ([, kind]) => kind === "fields" || kind === "causes";
  parts.push(...row.details.filter(isAbout).flatMap(section), ...effects(row));
  const lane = data.lanes[row.lane];
  if (lane && lane[1]) parts.push(element("h2", lane[0]), element("p", lane[1]));
  parts.push(...row.details.filter((each) => !isAbout(each)).flatMap(section));
  by("details").replaceChildren(...parts);
  by("details").scrollTop = 0;
}

// --- moving

function choose(index) {
  if (!elements.length) return;
  elements[state.chosen].setAttribute("aria-selected", "false");
  state.chosen = Math.max(0, Math.min(index, elements.length - 1));
  const made = elements[state.chosen];
  made.setAttribute("aria-selected", "true");
  by("rows").setAttribute("aria-activedescendant", made.id);
  made.scrollIntoView({ block: "nearest" });
  showDetails();
  remember();
}

// Goes so many of the visible rows that fit further, or as far as there are any.
function step(by, count = 1, fits = () => true, from = state.chosen) {
  let found = -1;
  for (let index = from + by; count > 0 && index >= 0 && index < elements.length; index += by) {
    if (!elements[index].hidden && fits(elements[index])) {
      found = index;
      count -= 1;
    }
  }
  if (found >= 0) choose(found);
}

const first = () => step(1, 1, undefined, -1);
const last = () => step(-1, 1, undefined, elements.length);
const failed = (made) => made.classList.contains("failed");

const KEYS = {
  j: () => step(1), ArrowDown: () => step(1), k: () => step(-1), ArrowUp: () => step(-1),
  g: first, Home: first, G: last, End: last, PageDown: () => step(1, 20), PageUp: () => step(-1, 20),
  e: () => step(1, 1, failed), E: () => step(-1, 1, failed),
  r: () => preview(data.rows[state.chosen].seq || ""),
  "/": () => by("filter").focus(),
  Escape: leave,
};

function leave() {
  if (state.preview !== null) return preview(null);
  if (state.query) {
    by("filter").value = state.query = "";
    filter();
    remember();
  }
}

document.addEventListener("keydown", (event) => {
  const typing = event.target === by("filter");
  if (event.ctrlKey || event.metaKey || event.altKey || (typing && !["Escape", "Enter"].includes(event.key))) return;
  if (typing) {
    if (event.key === "Enter" || !state.query) by("rows").focus();
    if (event.key === "Escape") leave();
    return;
  }
  const key = KEYS[event.key];
  if (key && elements.length) {
    event.preventDefault();
    key();
  }
});

// --- the address: #rewind=9&seq=13&filter=is:failed

function remember() {
  const parts = [];
  if (state.preview) parts.push(`rewind=${encodeURIComponent(state.preview.seq)}`);
  const seq = data.rows.length ? data.rows[state.chosen].seq : "";
  if (seq) parts.push(`seq=${encodeURIComponent(seq)}`);
  if (state.query) parts.push(`filter=${encodeURIComponent(state.query)}`);
  const hash = `#${parts.join("&")}`;
  if (hash !== location.hash) history.replaceState(null, "", hash);
}

function recall() {
  const asked = new URLSearchParams(location.hash.slice(1));
  state.query = by("filter").value = asked.get("filter") || "";
  const target = asked.get("rewind") ?? (location.hash.length > 1 ? null : data.asked && data.asked.seq);
  const chosen = indexOf.get(asked.get("seq") ?? target ?? "");
  if (chosen !== undefined) state.chosen = chosen;
  showPreview();
  filter();
  if (target !== null) preview(target);
  choose(state.chosen);
}

by("facts").textContent = data.about.facts.join(" · ");
by("title").title = data.about.ledger;
by("by").textContent = data.about.by;
by("notes").append(...data.notes.map((note) => element("li", note)));
by("filter").addEventListener("input", () => {
  state.query = by("filter").value;
  filter();
  remember();
});
by("rewind").addEventListener("click", () => preview((data.rows[state.chosen] || {}).seq || ""));
by("leave").addEventListener("click", leave);
window.addEventListener("hashchange", recall);
build();
recall();
by("rows").focus({ preventScroll: true });
