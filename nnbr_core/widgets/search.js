// The page's side of ItemSearch: a combobox with a list below it, and the chosen items as buttons.
const PAUSE = 150;  // milliseconds without a key before the kernel is asked

const make = (tag, name, parent) => {
  const one = document.createElement(tag);
  one.className = name;
  return parent.appendChild(one);
};
function render({ model, el }) {
  const root = make("div", "nnbr-search", el);
  const label = make("label", "", root);
  label.append("Add an item ");
  const input = make("input", "", label);
  const said = make("span", "nnbr-said", root);
  const list = make("ul", "nnbr-matches", root);
  const basket = make("div", "nnbr-own-basket", root);
  list.id = "nnbr-" + model.model_id;
  const combobox = { role: "combobox", type: "text", autocomplete: "off",
    placeholder: "search", "aria-autocomplete": "list", "aria-controls": list.id };
  Object.entries(combobox).forEach(([name, value]) => input.setAttribute(name, value));
  said.setAttribute("role", "status");
  list.setAttribute("role", "listbox");
  let active = -1, timer = 0;
  const look = (text) => {
    model.set("query", text);
    model.save_changes();
  };
  const ask = (what, text) => model.send({ do: what, text });
  const add = (text) => {
    clearTimeout(timer);
    input.value = "";
    ask("add", text);
    input.focus();
  };
  const point = (to) => {
    active = Math.max(-1, Math.min(to, list.children.length - 1));
    [...list.children].forEach((one, at) => one.setAttribute("aria-selected", at === active));
    const one = list.children[active];
    input.setAttribute("aria-activedescendant", one ? one.id : "");
    if (one) one.scrollIntoView({ block: "nearest" });
  };
  const showMatches = () => {
    list.replaceChildren();
    model.get("matches").forEach(([text, group], at) => {
      const one = make("li", "", list);
      one.id = list.id + "-" + at;
      one.setAttribute("role", "option");
      one.append(text);
      make("small", "", one).append(group);
      one.addEventListener("mousedown", (event) => { event.preventDefault(); add(text); });
    });
    list.hidden = list.children.length === 0;
    input.setAttribute("aria-expanded", !list.hidden);
    point(-1);
  };
  const showBasket = () => {
    basket.replaceChildren();
    model.get("chosen").forEach((text) => {
      const one = make("button", "nnbr-own", basket);
      one.append(text + " ×");
      one.setAttribute("aria-label", "Remove " + text);
      one.addEventListener("click", () => { ask("remove", text); input.focus(); });
    });
  };
  const showSaid = () => { said.textContent = model.get("message"); };
  const showQuery = () => { if (model.get("query") === "") input.value = ""; };
  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => look(input.value.trim()), PAUSE);
  });
  input.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) { event.preventDefault(); point(active + step); }
    if (event.key === "Enter") {
      clearTimeout(timer);
      const one = model.get("matches")[active];
      if (one) add(one[0]); else if (input.value.trim()) ask("enter", input.value);
    }
    if (event.key === "Escape") {
      input.value = "";
      look("");
    }
  });
  const shown = { matches: showMatches, chosen: showBasket, message: showSaid, query: showQuery };
  Object.entries(shown).forEach(([name, show]) => { model.on("change:" + name, show); show(); });
  return () => Object.entries(shown).forEach(([name, show]) => model.off("change:" + name, show));
}
export default { render };
