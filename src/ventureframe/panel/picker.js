// A combobox with a list of records (the ARIA pattern "editable combobox with list autocomplete"),
// and chips for those picked where several can be. It sends no request and holds no address: what
// is typed goes to the kernel, and what the kernel found is shown.
const PAUSE = 250; // milliseconds without a key before the kernel searches

const make = (tag, attributes, ...children) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
};

function render({ model, el }) {
  const id = `vf-picker-${Math.random().toString(36).slice(2)}`;
  const many = model.get("many");
  const input = make("input", {
    id, type: "text", role: "combobox", autocomplete: "off", spellcheck: "false",
    "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": `${id}-list`,
    "aria-describedby": `${id}-said`, placeholder: model.get("hint"),
  });
  const list = make("ul", { id: `${id}-list`, role: "listbox", "aria-label": `${model.get("label")}: found` });
  const note = make("div", { id: `${id}-said`, class: "vf-picker-said", "aria-live": "polite" });
  const chips = make("ul", { class: "vf-chips", "aria-label": `${model.get("label")}: picked` });
  const label = make("label", { for: id }, model.get("label"));
  const field = make("div", { class: "vf-picker-field" }, ...(many ? [chips] : []), input, note, list);
  el.classList.add("vf-picker");
  el.append(label, field);
  let timer, marked = -1, isOwn = false, takesFirst = false; // Enter came before the list
  let picked; // of these lines one is taken: the kernel has a new list without it

  const isOpen = () => input.getAttribute("aria-expanded") === "true";
  const close = () => {
    list.hidden = true;
    marked = -1;
    note.textContent = many || input.value.trim() !== model.get("chosen")[0]?.label ? "" : model.get("chosen")[0].detail;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  };
  const mark = (line) => {
    marked = line;
    [...list.children].forEach((row, at) => row.setAttribute("aria-selected", String(at === line)));
    if (line < 0) return input.removeAttribute("aria-activedescendant");
    input.setAttribute("aria-activedescendant", list.children[line].id);
    list.children[line].scrollIntoView({ block: "nearest" });
  };
  const type = (text) => {
    isOwn = true;
    model.set("typed", text);
    isOwn = false;
    model.save_changes();
  };
  const pick = (line) => {
    clearTimeout(timer);
    takesFirst = false;
    picked = model.get("found");
    if (many) type(""); // else the answer takes back what is typed next
    model.send({ pick: line, of: picked.text });
    input.value = many ? "" : model.get("found").rows[line].label;
    close();
  };
  const open = () => {
    const found = model.get("found");
    const rows = found.rows ?? [];
    if (!rows.length && !found.message) return close();
    const typed = input.value.trim();
    if (model.get("typed") && typed && typed !== found.text) return; // typed on since: its own search follows
    delete input.dataset.searching;
    list.replaceChildren(...rows.map((row, at) => {
      const line = make("li", { id: `${id}-${at}`, role: "option", "aria-selected": "false" },
        make("span", { class: "vf-picker-name" }, row.label), " ",
        make("span", { class: "vf-picker-detail" }, row.detail));
      line.addEventListener("mousedown", (event) => event.preventDefault());
      line.addEventListener("click", () => pick(at));
      return line;
    }));
    close();
    if (takesFirst && rows.length) return pick(0);
    takesFirst = false;
    note.textContent = found.message;
    list.hidden = !rows.length;
    input.setAttribute("aria-expanded", String(Boolean(rows.length)));
  };
  const search = (pause) => {
    clearTimeout(timer);
    const text = input.value.trim();
    if (text.length < model.get("least") && (text || !model.get("lists"))) return;
    takesFirst = false;
    input.dataset.searching = "";
    timer = setTimeout(() => model.send({ find: text }), pause);
  };
  const show = () => {
    const chosen = model.get("chosen");
    if (!many) {
      const [one] = chosen;
      if (!model.get("typed")) input.value = one?.label ?? ""; // else she types on already
      input.classList.toggle("vf-unclear", Boolean(one?.unclear));
      if (!isOpen()) note.textContent = one?.detail ?? "";
      return;
    }
    chips.replaceChildren(...chosen.map((one, at) => {
      const drop = make("button", { type: "button", "aria-label": `Remove ${one.label}, ${one.detail}` }, "×");
      drop.addEventListener("click", () => { model.send({ drop: at }); input.focus(); });
      const name = make("span", { class: "vf-picker-name" }, one.label);
      const detail = make("span", { class: "vf-picker-detail" }, one.detail);
      return make("li", one.unclear ? { class: "vf-unclear" } : {}, name, " ", detail, drop);
    }));
    chips.hidden = !chosen.length;
    if (!model.get("typed")) input.value = "";
  };

  const reset = () => { // the kernel took the text back
    if (isOwn || model.get("typed")) return;
    clearTimeout(timer);
    show();
  };

  input.addEventListener("input", () => {
    const text = input.value;
    delete input.dataset.searching;
    input.classList.remove("vf-unclear"); // she corrects it
    type(text);
    if (!many && !text.trim()) model.send({ drop: 0 });
    close();
    note.textContent = text.trim() && text.trim().length < model.get("least")
      ? `Type at least ${model.get("least")} letters` : "";
    if (text.trim()) search(PAUSE);
    else clearTimeout(timer);
  });
  input.addEventListener("click", () => { if (model.get("lists") && !input.value && !isOpen()) search(0); });
  input.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const last = list.children.length - 1;
    if (event.key === "Escape" && isOpen()) close();
    else if (event.key === "Escape") { model.set("typed", ""); model.save_changes(); }
    else if (event.key === "Enter" && isOpen()) pick(Math.max(marked, 0));
    else if (event.key === "Enter" && "searching" in input.dataset) takesFirst = true;
    else if (event.key === "ArrowDown" && isOpen()) mark(marked < last ? marked + 1 : 0);
    else if (event.key === "ArrowUp" && isOpen()) mark(marked > 0 ? marked - 1 : last);
    else if (event.key === "ArrowDown" && model.get("found").rows?.length && model.get("found") !== picked) open();
    else if (event.key === "ArrowDown") search(0);
    else if (event.key === "Backspace" && many && !input.value && model.get("chosen").length) {
      model.send({ drop: model.get("chosen").length - 1 });
    } else return;
    event.preventDefault();
  });
  // A press elsewhere closes the list once it has acted: closing at its start would move what is
  // under the pointer, and the press would be lost.
  let isPressed = false;
  const left = () => { if (document.hasFocus() && document.activeElement !== input) close(); };
  const ended = new AbortController();
  const on = (name, act) =>
    window.addEventListener(name, act, { capture: true, signal: ended.signal });
  on("pointerdown", () => { isPressed = true; });
  for (const name of ["pointerup", "pointercancel"]) {
    on(name, () => { isPressed = false; setTimeout(left); });
  }
  input.addEventListener("blur", () => { if (!isPressed) left(); });
  model.on("change:found", open);
  model.on("change:chosen", show);
  model.on("change:typed", reset);
  show();
  if (model.get("found").rows?.length) open();
  else close();
  return () => {
    clearTimeout(timer);
    ended.abort();
    model.off("change:found", open);
    model.off("change:chosen", show);
    model.off("change:typed", reset);
  };
}

export default { render };
