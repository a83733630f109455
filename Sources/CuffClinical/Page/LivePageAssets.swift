/// What the live page loads from the same server. Nothing is loaded from anywhere else.
public enum LivePageAssets {
    /// The style: light and dark by the reader's setting, from 375 px on.
    public static let style: StaticString = """
        :root{--paper:#fff;--ink:#1c1e21;--soft:#5c636b;--line:#d9dde2;--tint:#f4f6f8;--sys:#b3400e;--dia:#1d55b8;--bad:#a3150f}
        @media (prefers-color-scheme:dark){:root{--paper:#15181b;--ink:#e7eaed;--soft:#a0a8b0;--line:#343a41;--tint:#1e2327;\
        --sys:#ff9a62;--dia:#8ab4ff;--bad:#ff9a8f}}
        *{box-sizing:border-box}
        html{font-size:clamp(16px,0.55vw + 10px,28px)}
        body{margin:0;background:var(--paper);color:var(--ink);font:1rem/1.45 system-ui,"Liberation Sans",Arial,sans-serif;\
        font-variant-numeric:tabular-nums}
        header,main,footer{max-width:56rem;margin:0 auto;padding:0 1rem}
        header{display:flex;justify-content:space-between;align-items:baseline;gap:0 1rem;flex-wrap:wrap;padding-top:1rem}
        h1{font-size:1.5rem;line-height:1.2;margin:0}
        h2{font-size:1.1rem;margin:1.6rem 0 .4rem}
        p{margin:.3rem 0}
        #state,.soft,figcaption,footer,small{color:var(--soft);font-size:.85rem}
        .skip{position:absolute;left:-999rem}
        .skip:focus{position:static}
        a{color:var(--dia)}
        :focus-visible{outline:3px solid var(--dia);outline-offset:2px}
        #live{display:grid;grid-template-columns:repeat(auto-fill,minmax(15rem,1fr));gap:.8rem;margin-top:1rem}
        #live[hidden]{display:none}
        .live{border:1px solid var(--line);border-radius:.4rem;background:var(--tint);padding:.6rem .9rem;overflow-wrap:anywhere}
        .live small{display:block}
        .lost{color:var(--bad);font-weight:600}
        .lost small{color:var(--soft);font-weight:400}
        .live b{font-size:2.4rem;line-height:1.1}
        meter{display:block;width:100%;height:.8rem}
        .latest .value{font-size:1.2rem}
        .latest b{font-size:2.2rem;line-height:1.15}
        figure{margin:.4rem 0}
        svg{display:block;width:100%;height:auto;max-height:12rem;overflow:visible}
        svg text{font:11px system-ui,"Liberation Sans",Arial,sans-serif;fill:var(--soft)}
        .grid{stroke:var(--line)}
        .bar{stroke:var(--soft);stroke-width:2}
        .sys{fill:var(--sys)}
        .dia{fill:var(--paper);stroke:var(--dia);stroke-width:2}
        .wide{overflow-x:auto}
        table{width:100%;border-collapse:collapse;font-size:.92rem}
        th,td{padding:.25rem .5rem;text-align:left;vertical-align:top;border-bottom:1px solid var(--line)}
        tbody th{font-weight:400;white-space:nowrap}
        .bad{color:var(--bad);font-weight:600}
        footer{margin-top:1.6rem;padding-bottom:1.6rem}
        @media (max-width:30rem){table{font-size:.86rem}th,td{padding:.25rem .3rem}svg text{font-size:19px}}
        @media (prefers-reduced-motion:no-preference){.live b{transition:color .2s}}
        """

    /// The script: follows `/events`, shows pressures, and takes the tables anew when a reading comes.
    public static let script: StaticString = """
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
        """
}
