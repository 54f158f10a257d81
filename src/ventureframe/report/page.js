"use strict";
const LONG = 16; /* rows; a longer table scrolls within the page */
const value = (row, column) => row.cells[column].dataset.value ?? row.cells[column].textContent;

function compare(type) {
  const order = new Intl.Collator("en", { numeric: true });
  return type === "number" ? (a, b) => Number(a) - Number(b) : (a, b) => order.compare(a, b);
}

/* Rows without a value stay last in both directions; equal rows keep their order. */
function sort(table, header) {
  const direction = header.getAttribute("aria-sort") === "ascending" ? "descending" : "ascending";
  const sign = direction === "ascending" ? 1 : -1;
  const by = compare(header.dataset.type);
  const body = table.tBodies[0];
  const rows = [...body.rows].map((row) => [value(row, header.cellIndex), row]);
  rows.sort(([a], [b]) => (a === "") - (b === "") || (a === "" ? 0 : sign * by(a, b)));
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  header.setAttribute("aria-sort", direction);
  body.append(...rows.map(([, row]) => row));
}

const quoted = (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/* Text that a spreadsheet would run as a formula gets an apostrophe, as in `to_csv`. */
const inert = (text) => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text);

function csv(table) {
  const headers = [...table.tHead.rows[0].cells];
  const head = headers.map((cell) => inert(cell.textContent.trim()));
  const cell = (row, { dataset }, column) =>
    dataset.type === "number" ? value(row, column) : inert(value(row, column));
  const rows = [...table.tBodies[0].rows].map((row) =>
    headers.map((header, column) => cell(row, header, column)),
  );
  return [head, ...rows].map((row) => row.map(quoted).join(",")).join("\r\n") + "\r\n";
}

function download(table, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([csv(table)], { type: "text/csv;charset=utf-8" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

function furnish(figure, index) {
  const table = figure.querySelector("table");
  const section = figure.closest("section[id]");
  const label = section ? section.querySelector("h2").textContent : document.title;
  for (const header of table.tHead.rows[0].cells) {
    const button = document.createElement("button");
    button.type = "button";
    header.dataset.label = header.textContent.trim();
    button.append(...header.childNodes);
    button.addEventListener("click", () => sort(table, header));
    header.append(button);
  }
  const scroll = document.createElement("div");
  scroll.className = "vf-scroll";
  scroll.classList.toggle("vf-long", table.tBodies[0].rows.length > LONG);
  scroll.tabIndex = 0;
  scroll.setAttribute("role", "region");
  const title = figure.querySelector("figcaption strong");
  scroll.setAttribute("aria-label", `Table: ${title ? title.textContent : label}`);
  table.replaceWith(scroll);
  scroll.append(table);
  const save = document.createElement("button");
  save.type = "button";
  save.className = "vf-csv";
  const all = Number(table.dataset.rows); /* of a table cut to its first rows */
  const shown = table.tBodies[0].rows.length;
  save.textContent = all ? `Download CSV: the ${shown} rows shown of ${all.toLocaleString("en")}` : "Download CSV";
  const name = `${section ? section.id : "table"}-${index + 1}.csv`;
  save.addEventListener("click", () => download(table, name));
  figure.append(save);
}

document.querySelectorAll("figure.vf-table").forEach(furnish);
