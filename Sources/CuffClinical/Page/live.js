// Follows /events: shows pressures at once, and takes everything else from the page itself. Only nodes that differ are changed, so that
// focus, selection and scroll position stay.
"use strict";
(function () {
  var state = document.getElementById("state"), gone = document.getElementById("gone"), page = document.getElementById("page");
  var timers = {}, due = null, isLoading = false, since = null;
  function key(node) { return node.nodeType === 1 ? node.id || node.dataset.key || "" : ""; }
  function isSame(a, b) { return a.nodeName === b.nodeName && key(a) === key(b); }
  function change(now, next) {
    if (now.isEqualNode(next)) return;
    if (now.nodeType !== 1) { now.data = next.data; return; }
    Array.from(next.attributes).forEach(function (one) {
      if (now.getAttribute(one.name) !== one.value) now.setAttribute(one.name, one.value);
    });
    Array.from(now.attributes).forEach(function (one) { if (!next.hasAttribute(one.name)) now.removeAttribute(one.name); });
    var at = now.firstChild;
    Array.from(next.childNodes).forEach(function (child) {
      var found = at;
      // A node without a key is not searched behind one with a key, which would be removed.
      while (found && !isSame(found, child)) found = key(found) && !key(child) ? null : found.nextSibling;
      if (!found) { now.insertBefore(document.importNode(child, true), at); return; }
      while (at !== found) { var old = at; at = at.nextSibling; old.remove(); }
      change(found, child);
      at = found.nextSibling;
    });
    while (at) { var rest = at; at = at.nextSibling; rest.remove(); }
  }
  function cards() { return Array.from(document.querySelectorAll("#live .live:not(.lost)")); }
  function remove(card) {
    card.remove();
    var box = document.getElementById("live");
    box.hidden = !box.querySelector(".live");
  }
  function card(key) { return cards().filter(function (one) { return one.dataset.key === key; })[0]; }
  // No pressure stays on the page that is not renewed, whatever became of the server.
  function expire(key) {
    clearTimeout(timers[key]);
    timers[key] = setTimeout(function () { var old = card(key); if (old) remove(old); }, 12000);
  }
  function show(one) {
    var now = card(one.key);
    if (!now) { load(); return; }
    now.querySelector("b").textContent = one.pressure_mmHg;
    now.querySelector("meter").value = one.pressure_mmHg;
    expire(one.key);
  }
  function hide(key) {
    var old = card(key);
    if (old) remove(old);
    load();
  }
  function load() {
    if (due !== null) return;
    due = setTimeout(function () {
      if (isLoading) { due = null; return load(); }
      isLoading = true;
      fetch(location.href, { cache: "no-store" }).then(function (answer) {
        return answer.ok ? answer.text() : Promise.reject();
      }).then(function (text) {
        var next = new DOMParser().parseFromString(text, "text/html").getElementById("page");
        if (next && since === null) change(page, next);
        cards().forEach(function (one) { expire(one.dataset.key); });
      }).catch(function () {}).finally(function () { due = null; isLoading = false; });
    }, 500);
  }
  function tick() {
    if (since === null) return;
    var minutes = Math.floor((Date.now() - since) / 60000), forms = gone.dataset.minutes.split("|");
    gone.querySelector("span").textContent = minutes < 1 ? "" : "(" + forms[minutes === 1 ? 0 : 1].replace("%1", minutes) + ")";
  }
  function lose() {
    if (since !== null) return;
    since = Date.now();
    var clock = new Date().toTimeString().slice(0, 5);
    gone.querySelector("b").textContent = gone.dataset.text.replace("%1", clock) + ".";
    state.textContent = "";
    cards().forEach(remove);
    gone.hidden = false;
    tick();
  }
  cards().forEach(function (one) { expire(one.dataset.key); });
  setInterval(tick, 10000);
  // "today" is true for a day only.
  setInterval(load, 300000);
  var source = new EventSource("/events");
  source.onopen = function () {
    since = null;
    gone.hidden = true;
    state.textContent = state.dataset.following;
    load();
  };
  source.onerror = lose;
  source.addEventListener("live", function (event) { JSON.parse(event.data).cuffs.forEach(show); });
  source.addEventListener("lost", function (event) { JSON.parse(event.data).cuffs.forEach(function (one) { hide(one.key); }); });
  source.addEventListener("ended", function (event) { JSON.parse(event.data).keys.forEach(hide); });
  source.addEventListener("changed", load);
})();
