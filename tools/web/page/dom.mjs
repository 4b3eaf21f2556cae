/* Elements of the page. */
export function make(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes))
    if (key === "on") for (const [event, f] of Object.entries(value)) node.addEventListener(event, f);
    else if (value === true) node.setAttribute(key, "");
    else if (value !== false && value !== undefined) node.setAttribute(key, value);
  node.append(...children.filter(c => c !== undefined && c !== null));
  return node;
}
export function table(caption, head, rows) {
  return make("table", {}, make("caption", {}, caption), make("thead", {}, make("tr", {}, ...head.map(h => make("th", { scope: "col" }, h)))),
    make("tbody", {}, ...rows.map(row => make("tr", {}, ...row.map(cell => make("td", {}, cell))))));
}
