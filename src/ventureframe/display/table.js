(() => {
"use strict";
/* in a notebook one copy works for all cells, also when the output that brought it is gone */
if (window.ventureframe) return;
window.ventureframe = true;
const brought = document.currentScript?.previousElementSibling;
if (brought?.matches("style")) document.head.append(brought);
const DRAWN = 50; /* rows on the page at first, and as many more when the user scrolls to the end */
const LONG = 12; /* rows; a longer table can be searched and filtered */
const AT_ONCE = 2000; /* rows; a longer table is added up when it is filtered */
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
  const number = heads(figure).findIndex((head) => head.dataset.type === "number");
  const kept = Math.max(number, 1) + 1;
  for (const cell of within.querySelectorAll(`:is(th, td):nth-child(${kept})`)) cell.classList.add("vf-kept");
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

const CSV = "Download CSV", XLSX = "Download XLSX";
const quoted = (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
/* Text that a spreadsheet would run as a formula gets an apostrophe, as in `to_csv`. */
const inert = (text) => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text);

/* The headings and the rows of a file, source last; of a filtered table all rows, or those that fit. */
async function lines(figure, onlyShown) {
  const source = figure.dataset.source ? [figure.dataset.source] : [];
  const chosen = (await rows(figure)).filter((row) => !(onlyShown && row.hidden));
  const headings = [...heads(figure).map(label), ...source.map(() => "Data source")];
  return [headings, ...chosen.map((row) => [...heads(figure).map((_, at) => value(row.cells[at])), ...source])];
}
const isNumber = (figure, at) => heads(figure)[at]?.dataset.type === "number";

function save(figure, ending, ...parts) {
  const link = node("a", { href: URL.createObjectURL(new Blob(parts)), download: `${figure.dataset.name || "table"}.${ending}` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/* With the mark by which Excel reads accents. */
async function download(figure, onlyShown) {
  const cell = (line) => (text, at) => quoted(line && isNumber(figure, at) ? text : inert(text));
  const text = (await lines(figure, onlyShown)).map((line, at) => `${line.map(cell(at)).join(",")}\r\n`);
  save(figure, "csv", "\ufeff", ...text);
}

/* A workbook of one sheet as Office Open XML has it: five files in a ZIP without compression. */
const little = (...fields) => Uint8Array.from(fields.flatMap(([number, size]) => Array.from({ length: size }, (_, at) => (number / 2 ** (8 * at)) & 255)));
const CRC = Int32Array.from({ length: 256 }, (_, at) => {
  for (let bit = 0; bit < 8; bit++) at = at & 1 ? 0xEDB88320 ^ (at >>> 1) : at >>> 1;
  return at;
});
function zipped(files) {
  const parts = [], directory = [];
  const size = (all) => all.reduce((sum, each) => sum + each.length, 0);
  for (const file of Object.entries(files)) {
    const [path, bytes] = file.map((text) => new TextEncoder().encode(text));
    const crc = ~bytes.reduce((sum, each) => CRC[(sum ^ each) & 255] ^ (sum >>> 8), -1) >>> 0;
    const about = [[20, 2], [0x800, 2], [0, 4], [33, 2], [crc, 4], [bytes.length, 4], [bytes.length, 4], [path.length, 2], [0, 2]];
    directory.push(little([0x02014B50, 4], [20, 2], ...about, [0, 10], [size(parts), 4]), path);
    parts.push(little([0x04034B50, 4], ...about), path, bytes);
  }
  const many = directory.length / 2;
  return [...parts, ...directory, little([0x06054B50, 4], [0, 4], [many, 2], [many, 2], [size(directory), 4], [size(parts), 4], [0, 2])];
}
async function workbook(figure) {
  const escaped = (text) => text.replace(/[\0-\x08\v\f\x0e-\x1f]/g, "").replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
  const cell = (line) => (text, at) =>
    line && text && isNumber(figure, at) ? `<c><v>${text}</v></c>` : `<c t="inlineStr"><is><t xml:space="preserve">${escaped(text)}</t></is></c>`;
  const data = (await lines(figure, true)).map((line, at) => `<row>${line.map(cell(at)).join("")}</row>`).join("");
  const office = "http://schemas.openxmlformats.org", parts = `${office}/package/2006`, sheet = `${office}/spreadsheetml/2006/main`;
  const type = "application/vnd.openxmlformats-officedocument.spreadsheetml";
  const leads = (to, kind) => `<Relationships xmlns="${parts}/relationships"><Relationship Id="a" Target="${to}" Type="${office}/officeDocument/2006/relationships/${kind}"/></Relationships>`;
  save(figure, "xlsx", ...zipped({
    "[Content_Types].xml": `<Types xmlns="${parts}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="${type}.sheet.main+xml"/><Override PartName="/xl/sheet.xml" ContentType="${type}.worksheet+xml"/></Types>`,
    "_rels/.rels": leads("xl/workbook.xml", "officeDocument"),
    "xl/workbook.xml": `<workbook xmlns="${sheet}" xmlns:r="${office}/officeDocument/2006/relationships"><sheets><sheet name="Table" sheetId="1" r:id="a"/></sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": leads("sheet.xml", "worksheet"),
    "xl/sheet.xml": `<worksheet xmlns="${sheet}"><sheetData>${data}</sheetData></worksheet>`,
  }));
}

/* The sum and the median of the known totals of these rows, where each is another company. */
function sums(figure, fit) {
  figure.querySelector("tfoot")?.remove();
  const at = heads(figure).findIndex((head) => head.dataset.column === "total_funding");
  const id = heads(figure).findIndex((head) => head.classList.contains("vf-id"));
  const known = at < 0 ? [] : fit.map((row) => value(row.cells[at])).filter(Boolean).map(Number).sort((a, b) => a - b);
  const isEach = id >= 0 && new Set(fit.map((row) => value(row.cells[id]))).size === fit.length;
  if (known.length < 2 || !isEach) return;
  const decimals = (n) => ({ minimumFractionDigits: n, maximumFractionDigits: n });
  const line = (text, amount) => {
    const said = `${(amount / 1e6).toLocaleString("en", decimals(Math.abs(amount) < 1e5 ? 3 : 1))}m`;
    const cell = node("td", { className: "vf-number", textContent: said, title: amount.toLocaleString("en", decimals(2)) });
    const row = node("tr", {}, ...heads(figure).map((head, column) => (column === at ? cell : node("td", { hidden: head.hidden, textContent: column ? "" : text }))));
    return row;
  };
  const middle = (known[(known.length - 1) >> 1] + known[known.length >> 1]) / 2;
  const whose = `of the ${known.length.toLocaleString("en")} known in ${fit.length.toLocaleString("en")} rows`;
  const foot = node("tfoot", {}, line(`Sum ${whose}`, known.reduce((a, b) => a + b)), line("Median of these", middle));
  body(figure).after(foot);
  unfold(figure, foot);
}

/* `>5m`, `<=2010`, `1m..5m` or `7`: whether a number is in it; nothing where the text is none of them. */
const UNITS = { k: 1e3, m: 1e6, bn: 1e9 };
function amount(text) {
  const [, digits, unit] = /^\s*(-?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?)\s*(k|m|bn)?\s*$/i.exec(text) ?? [];
  return Number(digits?.replaceAll(",", "")) * (UNITS[unit?.toLowerCase()] ?? 1);
}
function range(text) {
  const [, sign, rest] = /^\s*([<>]?=?)(.*)$/.exec(text);
  const [low, high] = rest.split("..").map(amount);
  if (Number.isNaN(low) || Number.isNaN(high)) return undefined;
  if (high !== undefined) return sign ? undefined : (number) => number >= low && number <= high;
  const compares = { ">": (number) => number > low, ">=": (number) => number >= low, "<": (number) => number < low, "<=": (number) => number <= low };
  return compares[sign] ?? ((number) => number === low);
}

/* The rows and columns shown, as Excel and a mail take them. */
async function copy(figure, pressed) {
  const columns = heads(figure).flatMap((head, at) => (head.hidden ? [] : [at]));
  const line = (cells) => cells.map((each) => inert(each).replace(/\s+/g, " ")).join("\t");
  const text = (cell) => (cell.title ? Number(value(cell)).toFixed(2) : value(cell)); /* amounts have a title */
  const fit = (await rows(figure)).filter((row) => !row.hidden).map((row) => columns.map((at) => text(row.cells[at])));
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
  const picked = new Map(), ranges = new Map();
  const field = node("input", { type: "search", placeholder: "Search" });
  field.setAttribute("aria-label", "Search the rows");
  const apply = async () => {
    const wanted = field.value.trim().toLowerCase();
    const every = await rows(figure);
    for (const row of every) {
      const fits = [...picked].every(([at, said]) => !said.size || said.has(row.cells[at].textContent));
      const isIn = [...ranges.values()].every(({ at, has }) => !has || (value(row.cells[at]) && has(Number(value(row.cells[at])))));
      row.hidden = !(fits && isIn && (!wanted || row.textContent.toLowerCase().includes(wanted)));
    }
    const fit = every.filter((row) => !row.hidden), left = fit.length;
    const all = Number(figure.dataset.rows).toLocaleString("en");
    const isPart = wanted || [...picked.values()].some((said) => said.size) || [...ranges.values()].some(({ has }) => has);
    const wrong = [...ranges.values()].find(({ text, has }) => text && !has);
    count.textContent = isPart ? `${left.toLocaleString("en")} of ${all} rows` : "";
    if (wrong) count.textContent = `“${wrong.text}” is not a range: write >5m, <=2010 or 1m..5m`;
    const [whole, part, book] = tools.querySelectorAll(".vf-file");
    whole.textContent = isPart ? "CSV of all rows" : CSV;
    part.hidden = !isPart;
    book.textContent = isPart ? "XLSX of the rows shown" : XLSX;
    sums(figure, fit);
    await draw(figure);
  };
  let pause;
  const later = () => (clearTimeout(pause), (pause = setTimeout(apply, 120)));
  field.addEventListener("input", later);
  const choice = node("select");
  choice.setAttribute("aria-label", "Filter by a value");
  const fill = async () => {
    if (choice.children.length > 2) return;
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
  const numbers = heads(figure).flatMap((head, at) => (head.dataset.type === "number" ? [node("option", { value: JSON.stringify([at]) }, label(head))] : []));
  choice.append(node("option", { value: "" }, "Filter by…"), node("optgroup", { label: "Numbers from … to" }, ...numbers));
  const limit = (at) => {
    const name = label(heads(figure)[at]);
    const own = { at, text: "" };
    const typed = node("input", { placeholder: ">5m  <=2010  1m..5m" });
    typed.setAttribute("aria-label", `Range of ${name}`);
    typed.addEventListener("input", () => {
      own.text = typed.value.trim();
      own.has = own.text ? range(own.text) : undefined;
      typed.setAttribute("aria-invalid", String(Boolean(own.text && !own.has)));
      later();
    });
    const remove = button("×", () => (ranges.delete(chip), chip.remove(), choice.focus(), apply()));
    remove.setAttribute("aria-label", `Remove the range of ${name}`);
    const chip = node("span", {}, `${name} `, typed, remove);
    ranges.set(chip, own);
    choice.after(chip);
    typed.focus();
  };
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
    const [at, said] = choice.value ? JSON.parse(choice.value) : [];
    if (said !== undefined) pick(at, said);
    else if (at !== undefined) limit(at);
    choice.value = "";
  });
  tools.append(field, choice);
  if (Number(figure.dataset.rows) <= AT_ONCE) rows(figure).then((every) => sums(figure, every));
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

/* What is printed is what the caption says: the first rows, in their order, whatever a filter leaves. */
function onPaper(figure) {
  const first = [...body(figure).rows];
  let shown;
  matchMedia("print").addEventListener("change", async ({ matches }) => {
    if (matches) shown = [...body(figure).rows];
    body(figure).replaceChildren(...(matches ? first : shown));
    const every = figure.querySelector("tfoot") ? await rows(figure) : [];
    if (every.length) sums(figure, matches ? every : every.filter((row) => !row.hidden));
  });
}

function furnish(figure) {
  const box = figure.querySelector(".vf-box");
  figure.classList.add("vf-ready");
  onPaper(figure);
  unfold(figure, figure);
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
  const files = [
    button(CSV, () => download(figure)),
    button("CSV of the rows shown", () => download(figure, true)),
    button(XLSX, () => workbook(figure)),
  ];
  for (const file of files) file.className = "vf-file";
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
function overlaid(figure, which) {
  const shape = (name, attributes, ...inside) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, each] of Object.entries(attributes)) made.setAttribute(key, each);
    made.append(...inside);
    return made;
  };
  const marks = JSON.parse(figure.dataset.marks).map(([said, its, r, ...places], at) => {
    const [x1, y1, x2, y2] = places[which];
    const place = x2 === undefined ? ["circle", { cx: x1, cy: y1, r }] : ["line", { x1, y1, x2, y2, "stroke-width": 2 * r }];
    const made = shape(place[0], { ...place[1], role: "button", tabindex: at ? -1 : 0, "aria-label": said }, shape("title", {}, said));
    const has = (all, id) => all.some((each) => each === id || (/^\d+$/.test(id) && each.endsWith(` ${id}`)));
    made.addEventListener("click", () => open(figure, made, said, [], (all) => its.every((id) => has(all, id))));
    return made;
  });
  const name = `Marks of the figure: ${figure.querySelector("figcaption strong").textContent}`;
  const over = shape("svg", { class: `vf-marks vf-${["broad", "narrow"][which]}`, viewBox: `0 0 ${figure.dataset.sizes.split(" ").slice(2 * which, 2 * which + 2).join(" ")}`, role: "group", "aria-label": name }, ...marks);
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
  const picture = figure.querySelector("picture");
  const holder = node("div", { className: "vf-picture" });
  picture.replaceWith(holder);
  holder.append(picture, overlaid(figure, 0), overlaid(figure, 1));
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
