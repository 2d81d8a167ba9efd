// What every page has: its head with the theme switch, its foot, and a place for spoken messages.

import { el } from "./dom.js";
import { fitTablesToPaper } from "./printing.js";

const ROOT = document.documentElement;

export function shell(data, facts, ...sections) {
  addEventListener("beforeprint", fitTablesToPaper);
  document.body.append(
    el("a", { class: "skip", href: "#main", onclick: skip }, "Skip to the report"),
    el(
      "header",
      { class: "top" },
      brand(),
      themeButton(),
      el("h1", {}, data.title),
      el("p", { class: "facts" }, facts),
      // Of a page that was written with others of its run.
      document.querySelector("nav.pages"),
    ),
    el("main", { id: "main", tabindex: "-1" }, sections),
    el(
      "footer",
      {},
      el(
        "p",
        {},
        `Made by Rubrica ${data.version}. This file works without a network and sends nothing anywhere.`,
      ),
    ),
    el("p", { id: "said", class: "unseen", role: "status" }),
  );
}

export function brand() {
  return el("p", { class: "brand" }, el("span", { class: "mark", "aria-hidden": "true" }, "¶"), " Rubrica");
}

// The address holds the page's state, so the skip link moves the focus itself.
function skip(event) {
  event.preventDefault();
  document.getElementById("main").focus();
}

function isDark() {
  const chosen = ROOT.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

export function themeButton() {
  const button = el(
    "button",
    { type: "button", class: "theme quiet", "aria-pressed": String(isDark()) },
    "Dark",
  );
  button.addEventListener("click", () => {
    ROOT.dataset.theme = isDark() ? "light" : "dark";
    button.setAttribute("aria-pressed", String(isDark()));
    try {
      localStorage.setItem("rubrica-theme", ROOT.dataset.theme);
    } catch {
      /* then it lasts for this visit */
    }
  });
  return button;
}

// The result in a sentence, before everything else.
export function lead(...content) {
  return el("p", { class: "lead" }, content);
}

// Links to the sections of a page, which `change` writes into the address.
export function contents(sections, change) {
  const links = sections.map((node) => {
    const { id, textContent } = node.querySelector("h2");
    const follow = (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      change({ at: id });
      goToSection(id);
    };
    return el("li", {}, el("a", { href: `#at=${id}`, onclick: follow }, textContent));
  });
  return el("nav", { class: "contents", "aria-label": "Contents" }, el("ul", {}, links));
}

export function goToSection(id) {
  const heading = document.getElementById(id);
  if (!heading?.matches("section > h2")) return;
  heading.scrollIntoView();
  heading.focus({ preventScroll: true });
}

export function section(title, note, ...content) {
  const id = title.toLowerCase().replace(/\W+/g, "-");
  return el(
    "section",
    { "aria-labelledby": id },
    el("h2", { id, tabindex: "-1" }, title),
    note && el("p", { class: "note" }, note),
    content,
  );
}
