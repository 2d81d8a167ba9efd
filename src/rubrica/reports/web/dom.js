// Elements. Text enters a page only as text nodes, so what strangers wrote stays text.

const SVG = "http://www.w3.org/2000/svg";

export function el(tag, props = {}, ...children) {
  return filled(document.createElement(tag), props, children);
}

export function svg(tag, props = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), props, children);
}

function filled(node, props, children) {
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(
    ...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false),
  );
  return node;
}

export function pageData() {
  return JSON.parse(document.getElementById("data").textContent);
}

// Words for people's ears: said by screen readers when they change.
export function say(message) {
  const region = document.getElementById("said");
  if (region) region.textContent = message;
}

export function option(value, label, selected) {
  return el("option", { value, selected: selected || null }, label);
}

// Radio buttons in a row, drawn anew; what had the focus keeps it.
export function drawSegments(node, name, values, now, labelOf = (value) => value) {
  const focused = node.contains(document.activeElement);
  node.replaceChildren(
    ...values.map((value) => {
      const radio = el("input", { type: "radio", name, value });
      radio.checked = value === now;
      return el("label", {}, radio, labelOf(value));
    }),
  );
  if (focused) node.querySelector(":checked")?.focus();
}

// A name that may go on in another line after each of its parts: “rouge-1.” and “f1”.
export function inParts(name) {
  return name.split(/(?<=[._/:])/).flatMap((part, at) => (at ? [el("wbr"), part] : [part]));
}

export function field(label, control) {
  return el("label", { class: "field" }, el("span", {}, label), control);
}
