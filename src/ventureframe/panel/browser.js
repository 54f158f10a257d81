// The status line of a form, and its keys in a notebook that has keys of its own.
const GUARD = "data-lm-suppress-shortcuts"; // JupyterLab's own: on the element in focus it takes no key
const MARKS = { busy: "…", done: "✓", failed: "✗", cancelled: "⊘", empty: "!" };

const isChord = (event) =>
  ((event.ctrlKey || event.metaKey || event.altKey) && !event.getModifierState("AltGraph"))
  || (event.shiftKey && event.key === "Enter");

const isOpen = (field) => {
  if (field.getAttribute("aria-expanded") === "true" || "searching" in field.dataset) return true;
  try { return field.matches(":open"); } catch { return false; }
};

// The editors of the code above an element, where JupyterLab's hold their state.
const editors = (el) => [...(el.closest(".jp-Notebook")?.querySelectorAll(".jp-CodeCell .cm-content") ?? [])]
  .filter((code) => code.compareDocumentPosition(el) & Node.DOCUMENT_POSITION_FOLLOWING)
  .map((code) => (code.cmTile ?? code.cmView)?.view).filter((view) => view?.state);

function render({ model, el }) {
  const status = document.createElement("div");
  status.setAttribute("role", "status");
  const edited = document.createElement("div");
  edited.className = "vf-edited-note";
  edited.textContent = "Edited, not fetched: press Fetch to see these values, or Reset.";
  const progress = document.createElement("div");
  el.classList.add("vf-browser");
  el.append(edited, status, progress);

  const form = () => el.closest(".vf-panel");
  const say = () => {
    const state = model.get("state");
    status.className = `vf-status vf-${state || "idle"}`;
    const mark = document.createElement("span");
    mark.setAttribute("aria-hidden", "true");
    mark.textContent = MARKS[state] ? `${MARKS[state]} ` : "";
    const text = document.createElement("span");
    text.className = "vf-said";
    text.textContent = model.get("message");
    status.replaceChildren(mark, text);
  };
  const far = () => {
    const [rows, total] = model.get("progress");
    progress.replaceChildren();
    if (rows === undefined) return;
    const bar = document.createElement("progress");
    bar.setAttribute("aria-label", "Progress");
    if (total !== null) { bar.max = Math.max(total, 1); bar.value = rows; }
    const of = total === null ? "" : ` of ${total.toLocaleString("en")}`;
    progress.append(bar, ` ${rows.toLocaleString("en")}${of}`);
  };
  const mark = () => {
    edited.hidden = !model.get("edited");
    form()?.classList.toggle("vf-edited", model.get("edited"));
  };
  const read = () => {
    model.set("code", editors(el).map((view) => view.state.doc.toString()));
    model.save_changes();
  };
  const write = () => { // not into a cell that was edited meanwhile
    const [was, now] = model.get("rewritten");
    const view = editors(el).find(({ state }) => state.doc.toString() === was);
    if (!view) return;
    view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: now } });
    model.send({ kept: true });
  };
  const tell = (message) => model.send({ heard: message.ask });
  const key = (event) => {
    const at = event.target;
    if (!form()?.contains(at)) return;
    if (isChord(event)) {
      at.removeAttribute(GUARD);
      setTimeout(() => at.setAttribute(GUARD, "true"));
      return;
    }
    at.setAttribute(GUARD, "true");
    if (event.key === "Enter" && at.matches("input, select") && !isOpen(at)) {
      event.preventDefault();
      event.stopPropagation();
      read();
      model.send({ enter: true });
    }
  };

  const press = (event) => { // of a kernel that was restarted nothing would come, not even a word
    if (!event.target.closest("button") || !form()?.contains(event.target)) return;
    try {
      read();
      model.send({ pressed: true });
    } catch {
      model.set({ state: "failed", message: "The kernel that had this form is gone. Run all cells again." });
    }
  };

  const ended = new AbortController();
  window.addEventListener("keydown", key, { capture: true, signal: ended.signal });
  window.addEventListener("click", press, { capture: true, signal: ended.signal });
  const follow = { "change:message": say, "change:state": say, "change:progress": far,
    "change:edited": mark, "change:rewritten": write, "msg:custom": tell };
  for (const [event, act] of Object.entries(follow)) model.on(event, act);
  say();
  far();
  requestAnimationFrame(mark);
  model.send({ shown: true });
  return () => {
    ended.abort();
    for (const [event, act] of Object.entries(follow)) model.off(event, act);
  };
}

export default { render };
