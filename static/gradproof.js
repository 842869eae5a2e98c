/* Improves pages that work without it: keys, one submit, theme, local times. No framework, no request. */
"use strict";

(function () {
  const all = (selector, root = document) => Array.from(root.querySelectorAll(selector));
  const one = (selector, root = document) => root.querySelector(selector);

  /* ---- theme ---- */

  function theme() {
    const set = document.documentElement.dataset.theme;
    return set || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  }

  function switchTheme() {
    const next = theme() === "dark" ? "light" : "dark";
    document.documentElement.dataset.theme = next;
    try { localStorage.setItem("theme", next); } catch (e) { /* private mode: this page only */ }
  }

  for (const button of all("[data-theme-switch]")) {
    button.addEventListener("click", switchTheme);
  }

  /* ---- one submit, and back again when the page returns from the cache ---- */

  function setBusy(form, busy) {
    const button = one("[data-busy]", form);
    if (!button) return;
    if (!button.dataset.idle) button.dataset.idle = button.textContent;
    form.toggleAttribute("data-sent", busy);
    button.textContent = busy ? button.dataset.busy : button.dataset.idle;
    if (busy) button.setAttribute("aria-disabled", "true");
    else button.removeAttribute("aria-disabled");
  }

  for (const form of all("[data-answer]")) {
    form.addEventListener("submit", (event) => {
      if (form.hasAttribute("data-sent")) event.preventDefault();
      else {
        setBusy(form, true);
        setTimeout(() => setBusy(form, false), 20000); /* a stopped request; the same form is stored once only */
      }
    });
  }
  addEventListener("pageshow", () => all("[data-answer]").forEach((form) => setBusy(form, false)));

  /* ---- keys ---- */

  const dialog = one("#keys");
  const answer = all("[data-answer]").length === 1 ? one("[data-answer]") : null;
  let keysOn = true;
  try { keysOn = localStorage.getItem("keys") !== "off"; } catch (e) { /* private mode: on */ }
  const keysSwitch = one("[data-keys-on]");
  keysSwitch.checked = keysOn;
  keysSwitch.addEventListener("change", () => {
    keysOn = keysSwitch.checked;
    try { localStorage.setItem("keys", keysOn ? "on" : "off"); } catch (e) { /* this page only */ }
  });
  for (const opener of all("[data-keys-open]")) opener.addEventListener("click", () => dialog.showModal());

  function choose(radio) {
    radio.checked = true;
    radio.dispatchEvent(new Event("change", { bubbles: true }));
    radio.focus();
  }

  /* A letter belongs to whatever part has it; a digit to the first list without an answer, then to the confidence. */
  function radioFor(key) {
    const withKey = (part) => all("input[type=radio]", part).find((radio) => radio.dataset.key === key);
    if (!/^[0-9]$/.test(key)) return withKey(answer);
    const lists = all("[data-part=list], [data-part=lines]", answer);
    const open = lists.find((part) => !one("input:checked", part));
    if (open) return withKey(open);
    const confidence = one("[data-part=confidence]", answer);
    return confidence ? all("input[type=radio]", confidence)[Number(key) - 1] : undefined;
  }

  function commits(target) {
    return !target.closest("a, button, summary, textarea, select, input");
  }

  function onKey(event) {
    if (!keysOn && event.key !== "Enter") return;
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.isComposing || dialog.open) return;
    const target = event.target instanceof Element ? event.target : document.body;
    if (target.closest("textarea, select, input:not([type=radio])")) return;
    if (event.key === "?") return act(event, () => dialog.showModal());
    const next = event.key === "n" && one("[data-next]");
    if (next) return act(event, () => next.click());
    if (!answer) return;
    if (event.key === "Enter" && commits(target)) return act(event, () => answer.requestSubmit());
    const radio = event.key.length === 1 && radioFor(event.key.toLowerCase());
    if (radio) act(event, () => choose(radio));
  }

  function act(event, action) {
    event.preventDefault();
    action();
  }

  addEventListener("keydown", onKey);

  /* ---- times, errors, print ---- */

  for (const time of all("time[datetime]")) {
    const moment = new Date(time.dateTime);
    if (Number.isNaN(moment.getTime()) || moment.getTimezoneOffset() === 0) continue;
    const local = one("[data-local]", time.parentElement);
    if (local) local.textContent = moment.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" }) + " here";
  }

  const summary = one("[data-focus]");
  if (summary) summary.focus();

  /* ---- a preview follows its file ---- */

  const preview = one("[data-stamp]");
  if (preview) {
    setInterval(async () => {
      try {
        const answer = await fetch(preview.dataset.stampUrl);
        if (answer.ok && (await answer.json()).stamp !== preview.dataset.stamp) location.reload();
      } catch { /* the site is being restarted: ask again */ }
    }, 1000);
  }

  let openedToPrint = [];
  addEventListener("beforeprint", () => {
    openedToPrint = all("details:not([open])");
    for (const details of openedToPrint) details.open = true;
  });
  addEventListener("afterprint", () => {
    for (const details of openedToPrint) details.open = false;
  });
})();
