/* A quiz session: saves each change by itself, keeps what could not be sent, and shows the server's time. */
"use strict";

(function () {
  const one = (selector, root = document) => root.querySelector(selector);

  /* ---- time: the server's, counted down between its answers ---- */

  const clock = one("[data-clock]");
  let ends = clock ? performance.now() + Number(clock.dataset.seconds) * 1000 : 0;
  let left = clock ? Number(clock.dataset.seconds) : 0;
  let over = false;

  function showLeft() {
    const before = left;
    left = Math.max(0, Math.round((ends - performance.now()) / 1000));
    one("[data-left]", clock).textContent = Math.floor(left / 60) + ":" + String(left % 60).padStart(2, "0");
    clock.classList.toggle("soon", left <= 60);
    for (const minutes of [10, 5, 1]) {
      if (before > minutes * 60 && left <= minutes * 60) {
        one("[data-announce]", clock).textContent = minutes + (minutes === 1 ? " minute" : " minutes") + " left.";
      }
    }
  }

  function learnTime(said) {
    if (typeof said.seconds !== "number") return;
    const more = said.seconds - left;
    ends = performance.now() + said.seconds * 1000;
    if (said.deadline) {
      const shown = one("[data-deadline]", clock);
      if (shown.dateTime !== said.deadline) {
        shown.dateTime = said.deadline;
        shown.textContent = new Date(said.deadline).toLocaleTimeString(undefined, { timeStyle: "short" });
      }
    }
    if (more > 30) one("[data-announce]", clock).textContent = "You were given more time.";
    showLeft();
  }

  async function askTime() {
    try {
      const answer = await fetch(clock.dataset.url, { cache: "no-store" });
      if (!answer.ok) return;
      const said = await answer.json();
      learnTime(said);
      over = said.over;
    } catch { /* offline: what is known goes on */ }
  }

  if (clock) {
    setInterval(showLeft, 1000);
    setInterval(askTime, 15000);
    document.addEventListener("visibilitychange", () => { if (!document.hidden) askTime(); });
    const hide = one("[data-hide-clock]", clock);
    hide.hidden = false;
    const apply = (hidden) => {
      clock.classList.toggle("hidden", hidden);
      hide.setAttribute("aria-pressed", String(hidden));
      hide.textContent = hidden ? "Show the time" : "Hide the time";
    };
    let hidden = false;
    try { hidden = localStorage.getItem("hide-clock") === "yes"; } catch { /* private mode */ }
    apply(hidden);
    hide.addEventListener("click", () => {
      hidden = !hidden;
      apply(hidden);
      try { localStorage.setItem("hide-clock", hidden ? "yes" : "no"); } catch { /* this page only */ }
    });
  }

  /* ---- saving: one write at a time, the newest state, again until it is acknowledged ---- */

  const form = one("[data-session]");
  if (!form) return;
  const state = one("[data-save-state]", form);
  const sequence = one("[data-sequence]", form);
  const epoch = Number(form.dataset.epoch);
  const kept = "unsent " + form.dataset.saveUrl;
  let number = Number(sequence.value) - 1;
  let wanted = false;
  let sending = false;
  let replaced = false;
  let wait = 1000;
  let timer = 0;

  function say(words, offline = false) {
    if (state.textContent !== words) state.textContent = words;
    state.classList.toggle("offline", offline);
  }

  function fields() {
    const entries = [...new FormData(form).entries()].filter(([name, value]) => typeof value === "string");
    return Object.fromEntries(entries.filter(([name]) => !["epoch", "sequence", "flagged", "go"].includes(name)));
  }

  function keep(entered) {
    try { localStorage.setItem(kept, JSON.stringify({ at: Date.now(), epoch, fields: entered })); } catch { /* memory only */ }
  }

  function forget() {
    try { localStorage.removeItem(kept); } catch { /* nothing was kept */ }
  }

  function later(milliseconds) {
    clearTimeout(timer);
    timer = setTimeout(send, milliseconds);
  }

  async function send() {
    if (sending || !wanted || replaced) return;
    sending = true;
    wanted = false;
    const entered = fields();
    number += 1;
    sequence.value = number + 1; /* a plain submit comes after every write of this page */
    say("Saving…");
    try {
      const answer = await fetch(form.dataset.saveUrl, {
        method: "PUT",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ epoch, sequence: number, fields: entered }),
        keepalive: true,
      });
      await heard(answer);
      wait = 1000;
    } catch {
      wanted = true;
      keep(entered);
      say("Offline: your changes are kept in this browser and sent as soon as possible.", true);
      later(wait * (0.5 + Math.random())); /* not all pages at once when the server is back */
      wait = Math.min(wait * 2, 15000);
    } finally {
      sending = false;
    }
    if (wanted && wait === 1000) later(0);
  }

  async function heard(answer) {
    const said = await answer.json().catch(() => ({}));
    if (answer.status >= 500 || answer.status === 429) throw new Error("again");
    if (clock) learnTime(said);
    if (said.state === "saved" || said.state === "older") {
      forget();
      if (!wanted) say("Saved.");
      const step = one('[data-step="' + CSS.escape(form.action.split("/").pop()) + '"]');
      if (step && Object.values(fields()).some(Boolean)) step.classList.add("answered");
    } else if (said.state === "stale") {
      replaced = true;
      say("This quiz was opened somewhere else since: this page saves no more. Reload it to go on here.", true);
    } else {
      say(said.message || "This was not saved. Reload the page: what was saved before is there.", true);
    }
  }

  function changed(event) {
    wanted = true;
    later(event.type === "input" && event.target.matches("textarea, input[type=text]") ? 600 : 0);
  }

  form.addEventListener("input", changed);
  form.addEventListener("change", changed);
  addEventListener("online", () => later(0));
  addEventListener("pagehide", () => { if (wanted) { clearTimeout(timer); send(); } });
  form.addEventListener("submit", () => { clearTimeout(timer); wanted = false; forget(); });

  /* What could not be sent before this page was opened is put back into the form and sent, unless a page that was
     opened later, perhaps elsewhere, has saved something since. */
  try {
    const unsent = JSON.parse(localStorage.getItem(kept) || "null");
    if (unsent && unsent.epoch < Number(form.dataset.keptEpoch)) forget();
    else if (unsent && Date.now() - unsent.at < 86400000) {
      for (const [name, value] of Object.entries(unsent.fields)) {
        for (const control of form.elements) {
          if (control.name !== name) continue;
          if (control.type === "radio") control.checked = control.value === value;
          else control.value = value;
        }
      }
      wanted = true;
      later(0);
    }
  } catch { forget(); }

  /* ---- focus, only where the quiz said so ---- */

  if (form.dataset.signals) {
    const note = (kind) => fetch(form.dataset.signals, { method: "POST", body: new URLSearchParams({ kind }), keepalive: true }).catch(() => {});
    document.addEventListener("visibilitychange", () => note(document.hidden ? "focus_lost" : "focus_returned"));
  }

  setInterval(() => { if (over && !sending && !wanted) location.assign(location.pathname.replace(/items\/.*/, "end")); }, 1000);
})();
