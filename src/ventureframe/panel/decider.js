// The candidates of a list with yes and no beside each, and once for all rows of one reason. A
// press is shown at once and goes to the kernel, which keeps it and draws the table again.
const GUARD = "data-lm-suppress-shortcuts"; // JupyterLab's own: on the element in focus it takes no key
const BACK = "taken back";
const [HERS, RECORD, DECISION, WHY, GRADE, UUID, OWN] = [0, 1, 2, 6, 9, 10, 11]; // columns of to_check

const make = (tag, attributes, ...children) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
};

function render({ model, el }) {
  el.classList.add("vf-decide");
  const status = make("p", { role: "status" });
  const box = make("div", { class: "vf-decide-box" });
  el.append(status, box);
  const say = () => { status.textContent = model.get("message"); };
  let candidates = [];

  const line = ({ cells, name, domain }, answer) => [name, domain, cells[RECORD], cells[UUID], answer];
  const press = (rows, answer) => {
    const lines = rows.map((row) => line(row, answer || BACK));
    const others = answer !== "yes" ? [] : candidates.filter((one) => one.answer === "yes"
      && rows.some((row) => row.entry === one.entry && row !== one)); // one yes for a row
    model.send([...others.map((one) => line(one, BACK)), ...lines]);
  };

  // The buttons for some candidates: pressed if all have that answer, and pressed again they take it back.
  const buttons = (at, about, rows, words) => make("span", { role: "group", "aria-label": about }, ...words.map((word) => {
    const isPressed = rows.every((row) => row.answer === word);
    const button = make("button", { type: "button", "aria-pressed": String(isPressed), "aria-label": `${word}: ${about}`,
      "data-at": `${at} ${word}`, [GUARD]: "true" }, word);
    button.addEventListener("click", () => {
      const open = isPressed || rows.length === 1 ? rows : rows.filter((row) => !row.answer);
      if (!open.length) return;
      for (const one of button.parentElement.children) one.setAttribute("aria-pressed", String(one === button && !isPressed));
      press(open, isPressed ? "" : word);
    });
    return button;
  }));

  const draw = () => {
    const at = el.contains(document.activeElement) ? document.activeElement.dataset.at : undefined;
    const { scrollTop, scrollLeft } = box;
    const words = new Map([[true, "yes"], [false, "no"]]);
    candidates = model.get("rows").map(([cells, [name, domain, isYes]]) =>
      ({ cells, name, domain, answer: words.get(isYes) ?? "", entry: JSON.stringify([name, domain]).toLowerCase() }));
    const heads = model.get("heads");
    const others = heads.map((_, column) => column)
      .filter((column) => ![HERS, RECORD, DECISION, WHY, GRADE, UUID].includes(column));
    const cell = (row, column) => make("td", {}, String(row.cells[column] ?? ""));
    const shown = [HERS, RECORD, DECISION, ...others];
    const table = make("table", {}, make("thead", {}, make("tr", {},
      ...shown.map((column) => make("th", { scope: "col" }, heads[column])))));
    const reasons = Map.groupBy(candidates, (row) => row.cells[WHY]);
    [...reasons].forEach(([why, rows], number) => {
      const many = new Set(rows.map((row) => row.entry)).size;
      const all = many === rows.length ? ["yes", "no"] : ["no"];
      const title = make("th", { colspan: shown.length, scope: "rowgroup" }, `${many} ${many === 1 ? "row" : "rows"}: ${why} `);
      if (rows.length > 1) title.append(" · all ", buttons(`all ${number}`, `all of this reason, ${why}`, rows, all));
      const body = make("tbody", {}, make("tr", {}, title));
      for (const row of rows) {
        const about = `${row.cells[HERS]} is ${row.cells[RECORD]}`;
        const choice = buttons(`${row.entry} ${row.cells[UUID]}`, about, [row], ["yes", "no"]);
        body.append(make("tr", { class: `vf-${row.answer || "open"}` }, cell(row, HERS), cell(row, RECORD),
          make("td", {}, choice), ...others.map((column) => cell(row, column))));
      }
      table.append(body);
    });
    box.replaceChildren(...(candidates.length ? [table] : []));
    Object.assign(box, { scrollTop, scrollLeft });
    const all = [...box.querySelectorAll("button")];
    if (at) all.find((button) => button.dataset.at === at)?.focus({ preventScroll: true });
  };

  const key = (event) => { // a chord, such as that to save, is for JupyterLab
    const button = event.target;
    if (!el.contains(button) || !button.hasAttribute(GUARD)) return;
    if (!(event.ctrlKey || event.metaKey || event.altKey)) return;
    button.removeAttribute(GUARD);
    setTimeout(() => button.setAttribute(GUARD, "true"));
  };
  const ended = new AbortController();
  window.addEventListener("keydown", key, { capture: true, signal: ended.signal });
  model.on("change:rows", draw);
  model.on("change:message", say);
  say();
  draw();
  return () => {
    ended.abort();
    model.off("change:rows", draw);
    model.off("change:message", say);
  };
}

export default { render };
