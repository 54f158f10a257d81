(() => {
"use strict";
/* in a notebook one copy works for all cells, also when the output that brought it is gone */
if (window.ventureframe) return;
window.ventureframe = true;
const brought = document.currentScript?.previousElementSibling;
if (brought?.matches("style")) document.head.append(brought);
const DRAWN = 100; /* rows on the page at first, and as many more when the user scrolls to the end */
const LONG = 12; /* rows; a longer table can be searched and filtered */
const OPENED = 6; /* rows of another table that are shown beside an opened one */
const FEW = 24; /* different values; a column with more is searched, not filtered */
const value = (cell) => cell.dataset.value ?? (cell.classList.contains("vf-null") ? "" : cell.textContent);
const node = (tag, properties = {}, ...inside) => {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...inside);
  return made;
};
const button = (label, click) => {
  const made = node("button", { type: "button", textContent: label });
  made.addEventListener("click", click);
  return made;
};
const label = (header) => header.dataset.label ?? header.textContent.trim();
const body = (figure) => figure.querySelector("tbody");
const heads = (figure) => [...figure.querySelectorAll("thead th")];

function unfold(figure, within) {
  for (const id of within.querySelectorAll(".vf-id")) {
    id.hidden = !figure.dataset.ids;
    id.style.display = "";
  }
}

const known = new WeakMap();
/* All rows of a table in their order, drawn or not. */
const rows = (figure) => known.get(figure) ?? known.set(figure, unpacked(figure)).get(figure);

async function unpacked(figure) {
  const drawn = [...body(figure).rows];
  const packed = figure.querySelector(".vf-rest");
  if (packed) {
    const bytes = Uint8Array.from(atob(packed.textContent), (each) => each.charCodeAt(0));
    const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    const columns = await new Response(plain).json();
    const rest = document.createElement("template");
    rest.innerHTML = columns[0].map((_, at) => `<tr>${columns.map((column) => column[at]).join("")}</tr>`).join("");
    drawn.push(...rest.content.children);
  }
  return drawn;
}

/* Draws the next rows that are not left out: with thousands on the page each press takes seconds. */
async function draw(figure, from = 0) {
  const fit = (await rows(figure)).filter((row) => !row.hidden).slice(from, from + DRAWN);
  for (const row of fit) unfold(figure, row);
  if (from) body(figure).append(...fit);
  else body(figure).replaceChildren(...fit);
}

/* Rows without a value stay last in both directions; equal rows keep their order. */
async function sort(figure, header) {
  const direction = header.getAttribute("aria-sort") === "ascending" ? "descending" : "ascending";
  const sign = direction === "ascending" ? 1 : -1;
  const order = new Intl.Collator("en", { numeric: true });
  const by = header.dataset.type === "number" ? (a, b) => Number(a) - Number(b) : order.compare;
  /* before the rows are there, so that a second press turns the order round */
  for (const other of heads(figure)) other.removeAttribute("aria-sort");
  header.setAttribute("aria-sort", direction);
  const keyed = (await rows(figure)).map((row) => [value(row.cells[header.cellIndex]), row]);
  keyed.sort(([a], [b]) => (a === "") - (b === "") || (a === "" ? 0 : sign * by(a, b)));
  known.set(figure, Promise.resolve(keyed.map(([, row]) => row)));
  await draw(figure);
}

const CSV = "Download CSV";
const quoted = (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
/* Text that a spreadsheet would run as a formula gets an apostrophe, as in `to_csv`. */
const inert = (text) => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text);

/* With the mark by which Excel reads accents; of a filtered table all rows, or those that fit. */
async function download(figure, onlyShown) {
  const headers = heads(figure);
  const source = figure.dataset.source ? [inert(figure.dataset.source)] : [];
  const cell = (row, { dataset }, column) =>
    dataset.type === "number" ? value(row.cells[column]) : inert(value(row.cells[column]));
  const chosen = (await rows(figure)).filter((row) => !(onlyShown && row.hidden));
  const lines = chosen.map((row) => [...headers.map((head, at) => cell(row, head, at)), ...source]);
  lines.unshift([...headers.map((head) => inert(label(head))), ...source.map(() => "Data source")]);
  const text = lines.map((line) => `${line.map(quoted).join(",")}\r\n`).join("");
  const link = node("a", {
    href: URL.createObjectURL(new Blob(["\ufeff", text], { type: "text/csv;charset=utf-8" })),
    download: `${figure.dataset.name || "table"}.csv`,
  });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/* The rows and columns shown, as Excel and a mail take them. */
async function copy(figure, pressed) {
  const columns = heads(figure).flatMap((head, at) => (head.hidden ? [] : [at]));
  const line = (cells) => cells.map((each) => inert(each).replace(/\s+/g, " ")).join("\t");
  const fit = (await rows(figure)).filter((row) => !row.hidden).map((row) => columns.map((at) => value(row.cells[at])));
  await navigator.clipboard.writeText([columns.map((at) => label(heads(figure)[at])), ...fit].map(line).join("\n"));
  pressed.textContent = `Copied: ${fit.length.toLocaleString("en")}`;
  setTimeout(() => (pressed.textContent = "Copy rows"), 2000);
}

/* What a row holds, identifiers and exact amounts too. */
function facts(figure, row) {
  const list = node("dl");
  heads(figure).forEach((head, at) => {
    const cell = row.cells[at];
    const link = cell.querySelector("a");
    const exact = cell.title || (head.dataset.type === "number" && cell.textContent) || value(cell) || cell.textContent;
    list.append(node("dt", {}, label(head)), node("dd", {}, link ? node("a", { href: link.href, rel: link.rel }, link.href) : exact));
  });
  return list;
}
/* The identifiers of a row; a number is one among the rows of its column only. */
const ids = (figure, row) =>
  heads(figure).flatMap((head, at) => {
    const id = head.classList.contains("vf-id") ? value(row.cells[at]) : "";
    return id ? [/^\d+$/.test(id) ? `${label(head)} ${id}` : id] : [];
  });

/* A window with what is given, then with the rows of the page that fit, their requests and source. */
async function open(owner, back, title, given, fits) {
  const dialog = node("dialog", { className: "vf-row" });
  const rested = new Set(), sources = new Set();
  const rests = ({ dataset }) => {
    for (const each of (dataset.requests ?? "").split("\n")) if (each) rested.add(each);
    if (dataset.source) sources.add(dataset.source);
  };
  dialog.append(button("Close", () => dialog.close()), node("h2", {}, title), ...given);
  rests(owner);
  for (const other of document.querySelectorAll("figure.vf-table")) {
    if (other === owner || !other.querySelector("th.vf-id")) continue;
    const found = (await rows(other)).filter((row) => fits(ids(other, row)));
    if (!found.length) continue;
    rests(other);
    dialog.append(node("h3", {}, other.querySelector("figcaption strong").textContent));
    dialog.append(...found.slice(0, OPENED).map((row) => facts(other, row)));
    const left = found.length - OPENED;
    if (left > 0) dialog.append(node("p", {}, `and ${left.toLocaleString("en")} more in that table`));
  }
  if (!dialog.querySelector("dl")) dialog.append(node("p", {}, "The table with these records is not on this page."));
  for (const [head, lines] of [["Requests", rested], ["Source", sources]])
    if (lines.size) dialog.append(node("h3", {}, head), ...[...lines].map((line) => node("p", {}, line)));
  dialog.setAttribute("aria-label", title);
  dialog.addEventListener("close", () => (dialog.remove(), back.focus()));
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  if (document.querySelector("dialog.vf-row")) return; /* a second click */
  owner.append(dialog);
  dialog.showModal();
}
function openRow(figure, row) {
  const own = new Set(ids(figure, row));
  open(figure, row, row.cells[0].textContent, [facts(figure, row)], (all) => all.some((id) => own.has(id)));
}

/* The search field and the values to filter by; several values of a column are alternatives. */
function searching(figure, tools, count) {
  const picked = new Map();
  const field = node("input", { type: "search", placeholder: "Search" });
  field.setAttribute("aria-label", "Search the rows");
  const apply = async () => {
    const wanted = field.value.trim().toLowerCase();
    let left = 0;
    for (const row of await rows(figure)) {
      const fits = [...picked].every(([at, said]) => !said.size || said.has(row.cells[at].textContent));
      row.hidden = !(fits && (!wanted || row.textContent.toLowerCase().includes(wanted)));
      left += !row.hidden;
    }
    const all = Number(figure.dataset.rows).toLocaleString("en");
    const isPart = wanted || [...picked.values()].some((said) => said.size);
    count.textContent = isPart ? `${left.toLocaleString("en")} of ${all} rows` : "";
    const [every, part] = tools.querySelectorAll(".vf-csv");
    every.textContent = isPart ? "CSV of all rows" : CSV;
    part.hidden = !isPart;
    await draw(figure);
  };
  let pause;
  field.addEventListener("input", () => (clearTimeout(pause), (pause = setTimeout(apply, 120))));
  const choice = node("select");
  choice.setAttribute("aria-label", "Filter by a value");
  const fill = async () => {
    if (choice.length > 1) return;
    const every = await rows(figure);
    heads(figure).forEach((head, at) => {
      if (head.dataset.type !== "text" || head.classList.contains("vf-id")) return;
      const times = new Map();
      for (const row of every) times.set(row.cells[at].textContent, (times.get(row.cells[at].textContent) ?? 0) + 1);
      if (times.size < 2 || times.size > FEW || times.size === every.length) return;
      const options = [...times].sort(([a], [b]) => a.localeCompare(b, "en"));
      choice.append(node("optgroup", { label: label(head) }, ...options.map(([said, n]) =>
        node("option", { value: JSON.stringify([at, said]) }, `${said} (${n.toLocaleString("en")})`))));
    });
  };
  choice.append(node("option", { value: "" }, "Filter by…"));
  const pick = (at, said) => {
    if (!picked.has(at)) picked.set(at, new Set());
    if (picked.get(at).has(said)) return;
    picked.get(at).add(said);
    const chip = button(`${label(heads(figure)[at])}: ${said} ×`, () => {
      picked.get(at).delete(said);
      chip.remove();
      choice.focus();
      apply();
    });
    chip.setAttribute("aria-label", `Remove the filter ${label(heads(figure)[at])}: ${said}`);
    choice.after(chip);
    apply();
  };
  choice.addEventListener("change", () => {
    if (choice.value) pick(...JSON.parse(choice.value));
    choice.value = "";
  });
  tools.append(field, choice);
  return figure.querySelector(".vf-rest") ? choice.addEventListener("focus", fill) : fill();
}

/* Arrows go from row to row, Enter opens one. */
function steer(figure, event) {
  const row = event.target.closest("tbody tr");
  const step = { ArrowDown: "nextElementSibling", ArrowUp: "previousElementSibling" }[event.key];
  if (row && event.key === "Enter" && !event.target.closest("a")) openRow(figure, row);
  else if (step && !event.target.closest("thead")) {
    const next = row ? row[step] : body(figure).rows[0];
    if (next) (next.tabIndex = -1), next.focus();
  } else return;
  event.preventDefault();
}

function furnish(figure) {
  const box = figure.querySelector(".vf-box");
  figure.classList.add("vf-ready");
  for (const header of heads(figure)) {
    header.dataset.label = header.textContent.trim();
    header.replaceChildren(button(header.dataset.label, () => sort(figure, header)));
  }
  const tools = node("div", { className: "vf-tools" });
  const count = node("span", { className: "vf-count" });
  count.setAttribute("role", "status");
  if (Number(figure.dataset.rows) > LONG) {
    searching(figure, tools, count);
    box.addEventListener("scroll", () => box.scrollTop + 2 * box.clientHeight > box.scrollHeight && draw(figure, body(figure).rows.length));
  }
  if (figure.querySelector("th.vf-id")) {
    const fold = button("Show ids", () => {
      figure.dataset.ids = figure.dataset.ids ? "" : "shown";
      unfold(figure, figure);
      fold.setAttribute("aria-pressed", String(Boolean(figure.dataset.ids)));
    });
    fold.setAttribute("aria-pressed", "false");
    tools.append(fold);
  }
  const files = [button(CSV, () => download(figure)), button("CSV of the rows shown", () => download(figure, true))];
  for (const file of files) file.className = "vf-csv";
  files[1].hidden = true;
  tools.append(...files);
  if (navigator.clipboard) tools.append(button("Copy rows", ({ target }) => copy(figure, target)));
  tools.append(count);
  box.before(tools);
  box.addEventListener("keydown", (event) => steer(figure, event));
  box.addEventListener("click", (event) => {
    const row = event.target.closest("tbody tr");
    if (row && !event.target.closest("a") && !String(getSelection())) (row.tabIndex = -1), openRow(figure, row);
  });
}

/* Each mark of a figure is a button over its picture; one of them is a tab stop, arrows lead on. */
function overlaid(figure) {
  const shape = (name, attributes, ...inside) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, each] of Object.entries(attributes)) made.setAttribute(key, each);
    made.append(...inside);
    return made;
  };
  const marks = JSON.parse(figure.dataset.marks).map(([said, its, [x1, y1, x2, y2], r], at) => {
    const place = x2 === undefined ? ["circle", { cx: x1, cy: y1, r }] : ["line", { x1, y1, x2, y2, "stroke-width": 2 * r }];
    const made = shape(place[0], { ...place[1], role: "button", tabindex: at ? -1 : 0, "aria-label": said }, shape("title", {}, said));
    const has = (all, id) => all.some((each) => each === id || (/^\d+$/.test(id) && each.endsWith(` ${id}`)));
    made.addEventListener("click", () => open(figure, made, said, [], (all) => its.every((id) => has(all, id))));
    return made;
  });
  const name = `Marks of the figure: ${figure.querySelector("figcaption strong").textContent}`;
  const over = shape("svg", { class: "vf-marks", viewBox: `0 0 ${figure.dataset.size}`, role: "group", "aria-label": name }, ...marks);
  over.addEventListener("keydown", (event) => {
    const at = marks.indexOf(event.target);
    const next = { ArrowDown: at + 1, ArrowRight: at + 1, ArrowUp: at - 1, ArrowLeft: at - 1, Home: 0, End: marks.length - 1 }[event.key];
    if (event.key === "Enter" || event.key === " ") event.target.dispatchEvent(new MouseEvent("click"));
    else if (marks[next]) (event.target.tabIndex = -1), (marks[next].tabIndex = 0), marks[next].focus();
    else if (next === undefined) return;
    event.preventDefault();
  });
  return over;
}

function overlay(figure) {
  figure.classList.add("vf-ready");
  const picture = figure.querySelector("img");
  const holder = node("div", { className: "vf-picture" });
  picture.replaceWith(holder);
  holder.append(picture, overlaid(figure));
  figure.querySelector("figcaption").append(node("span", { className: "vf-hint" }, " · Click a mark to open its records."));
}

/* JupyterLab takes letters and arrows as commands; a key with a modifier stays its own. */
addEventListener("keydown", (event) => {
  const figure = event.target.closest?.("figure:is(.vf-table, .vf-figure)");
  const ours = !(event.ctrlKey || event.metaKey || event.altKey || (event.shiftKey && event.key === "Enter"));
  if (figure) event.target.toggleAttribute("data-lm-suppress-shortcuts", ours);
}, true);

/* A figure that is wider than a phone scrolls, by keyboard too. */
const watch = new ResizeObserver((seen) => {
  for (const { target } of seen)
    if (target.scrollWidth > target.clientWidth) target.tabIndex = 0;
    else target.removeAttribute("tabindex");
});
function dress() {
  document.querySelectorAll("figure.vf-table:not(.vf-ready)").forEach(furnish);
  document.querySelectorAll("figure[data-marks]:not(.vf-ready)").forEach(overlay);
  document.querySelectorAll("figure.vf-figure").forEach((figure) => watch.observe(figure));
}
dress();
/* in a notebook tables and figures come later, and are replaced */
let pause;
new MutationObserver(() => (pause ??= setTimeout(() => ((pause = undefined), dress()), 60))).observe(document.body, { childList: true, subtree: true });
})();
