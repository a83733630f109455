// Follows /events, shows pressures, and reloads the tables when a reading arrives.
"use strict";
(function () {
  var state = document.getElementById("state");
  var section = function () { return document.getElementById("live"); };
  var timers = {}, due = null, isLoading = false;
  function say(text) { if (state.textContent !== text) state.textContent = text; }
  function card(one, kind) {
    var box = section(), found = null;
    box.querySelectorAll(".live").forEach(function (c) { if (c.dataset.key === one.key) found = c; });
    if (found && found.className === kind) return found;
    if (found) found.remove();
    found = document.createElement("div");
    found.className = kind;
    found.dataset.key = one.key;
    var name = document.createElement("small");
    name.textContent = one.name;
    found.append(name);
    box.append(found);
    box.hidden = false;
    return found;
  }
  function show(one) {
    var now = card(one, "live");
    if (!now.querySelector("b")) {
      var value = document.createElement("b"), meter = document.createElement("meter");
      meter.min = 0;
      meter.max = 300;
      meter.setAttribute("aria-label", "Cuff pressure");
      now.append(value, " mmHg ", meter);
    }
    now.querySelector("b").textContent = one.pressure_mmHg;
    now.querySelector("meter").value = one.pressure_mmHg;
    expire(one.key);
  }
  function lose(one) {
    clearTimeout(timers[one.key]);
    var now = card(one, "live lost");
    while (now.childNodes.length > 1) now.lastChild.remove();
    now.append(one.reason + " at " + one.pressure_mmHg + " mmHg");
  }
  function hide(key) {
    var box = section();
    box.querySelectorAll(".live").forEach(function (c) { if (c.dataset.key === key) c.remove(); });
    box.hidden = !box.querySelector(".live");
  }
  // No pressure stays on the page that nothing renews, whatever became of the server.
  function expire(key) {
    clearTimeout(timers[key]);
    timers[key] = setTimeout(function () { hide(key); }, 12000);
  }
  function expireAll() {
    section().querySelectorAll(".live:not(.lost)").forEach(function (c) { expire(c.dataset.key); });
  }
  function reload() {
    if (due !== null) return;
    due = setTimeout(function () {
      if (isLoading) { due = null; return reload(); }
      isLoading = true;
      fetch("/", { cache: "no-store" }).then(function (answer) { return answer.text(); }).then(function (text) {
        var page = new DOMParser().parseFromString(text, "text/html");
        ["live", "alerts-part", "readings", "cuffs-part", "sinks-part"].forEach(function (id) {
          var now = document.getElementById(id), next = page.getElementById(id);
          if (now && next && now.innerHTML !== next.innerHTML) now.replaceWith(next);
        });
        expireAll();
      }).catch(function () {}).finally(function () { due = null; isLoading = false; });
    }, 500);
  }
  expireAll();
  var source = new EventSource("/events");
  source.onopen = function () { say("Connected: this page follows the cuffs"); reload(); };
  source.onerror = function () { say("Not connected: what is shown may be old"); };
  source.addEventListener("live", function (event) { JSON.parse(event.data).cuffs.forEach(show); });
  source.addEventListener("lost", function (event) { JSON.parse(event.data).cuffs.forEach(lose); });
  source.addEventListener("ended", function (event) { JSON.parse(event.data).keys.forEach(hide); });
  source.addEventListener("changed", reload);
})();
