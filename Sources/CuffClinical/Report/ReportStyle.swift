import CuffCore

/// The style of the report: light and dark by the reader's setting, A4 when printed, nothing loaded from anywhere.
enum ReportStyle {
    static let text: StaticString = """
        :root{--paper:#fff;--ink:#1c1e21;--soft:#5c636b;--line:#d9dde2;--tint:#f4f6f8;--sys:#b3400e;--dia:#1d55b8;--ref:#7a6a00}
        @media (prefers-color-scheme:dark){:root{--paper:#15181b;--ink:#e7eaed;--soft:#a0a8b0;--line:#343a41;--tint:#1e2327;\
        --sys:#ff9a62;--dia:#8ab4ff;--ref:#d6c04a}}
        *{box-sizing:border-box}
        body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.45 system-ui,"Liberation Sans",Arial,sans-serif;\
        font-variant-numeric:tabular-nums}
        main{max-width:820px;margin:0 auto;padding:28px 20px 40px}
        header{display:flex;justify-content:space-between;align-items:baseline;gap:16px;flex-wrap:wrap;\
        border-bottom:2px solid var(--ink);padding-bottom:8px}
        h1{font-size:24px;line-height:1.2;margin:0}
        h2{font-size:16px;margin:26px 0 8px}
        h2 small{font-weight:400;font-size:12.5px;margin-left:4px}
        .who{font-size:17px}
        p{margin:6px 0}
        .soft,figcaption,footer,.t,small{color:var(--soft)}
        .facts{display:grid;grid-template-columns:1.5fr 1fr 1.2fr 1.3fr;gap:0;margin:16px 0 4px;border:1px solid var(--line);border-radius:6px}
        .facts div{padding:10px 14px;border-left:1px solid var(--line)}
        .facts div:first-child{border-left:0}
        .facts b{display:block;font-size:22px;line-height:1.25;white-space:nowrap}
        .facts .main b{font-size:30px;line-height:1.1}
        .facts small{display:block;font-size:12.5px}
        figure{margin:14px 0 0}
        figcaption{font-size:12.5px;margin-top:2px}
        svg{display:block;width:100%;height:auto}
        svg text{font:11px system-ui,"Liberation Sans",Arial,sans-serif;fill:var(--soft)}
        .grid{stroke:var(--line);stroke-width:1}
        .ref{stroke:var(--ref);stroke-width:1.2;stroke-dasharray:5 4}
        svg text.reft{fill:var(--ref)}
        .sb,.sl{stroke:var(--sys);stroke-linecap:round}
        .db,.dl{stroke:var(--dia);stroke-linecap:round}
        .sb,.db{opacity:.45}
        .sl,.dl,.pl{fill:none;stroke-width:1.2;opacity:.75}
        .sm{fill:var(--sys)}
        .dm{fill:var(--paper);stroke:var(--dia);stroke-width:1.8}
        .pl{stroke:var(--soft)}
        .pm{fill:var(--soft)}
        table{width:100%;border-collapse:collapse;font-size:14px}
        th,td{padding:4px 8px;text-align:right;vertical-align:top;border-bottom:1px solid var(--line)}
        th{font-weight:600;border-bottom:1.5px solid var(--soft);white-space:nowrap}
        th small,td small{font-weight:400;font-size:12px}
        th:first-child,td:first-child,.text td,.text th{text-align:left}
        td:first-child{white-space:nowrap}
        .all td{font-weight:600;background:var(--tint)}
        .diary td{text-align:left;font-size:13.5px}
        .diary th{text-align:left}
        .r{white-space:nowrap;display:block}
        .t{font-size:12px}
        .up{font-size:11px}
        .narrow{display:none}
        footer{margin-top:24px;padding-top:8px;border-top:1px solid var(--line);font-size:12.5px}
        footer p{margin:3px 0}
        @media screen and (max-width:620px){.facts{grid-template-columns:1fr 1fr}.facts div:nth-child(3){border-left:0}\
        .facts div:nth-child(n+3){border-top:1px solid var(--line)}.wide{overflow-x:auto}main{padding:20px 14px 32px}\
        .broad{display:none}.narrow{display:block}th,td{padding:4px 4px;font-size:13px}th{white-space:normal}th small,td small{font-size:11px}\
        td:first-child{white-space:normal}.diary thead{display:none}.diary tr,.diary td{display:block;border:0;padding:1px 0}\
        .diary tr{border-bottom:1px solid var(--line);padding:6px 0}.diary td:first-child{font-weight:600}.diary td:empty{display:none}\
        .diary td[data-part]:not(:empty)::before{content:attr(data-part);display:inline-block;min-width:6.5em;color:var(--soft);font-size:12px}\
        .diary .r{font-size:15px}.parts th:nth-child(4),.parts td:nth-child(4),.parts th:nth-child(5),.parts td:nth-child(5){display:none}}
        .person+.person{margin-top:40px}
        .up{white-space:nowrap}
        .say{display:block;white-space:normal;max-width:34em}
        .block td:nth-child(n+2),.block .wide td{white-space:normal}
        pre{font-size:10px;line-height:1.15;overflow-x:auto;break-inside:avoid}
        @media print{.broad{display:block!important}.narrow{display:none!important}:root{--paper:#fff;--ink:#000;--soft:#444;--line:#bbb;--tint:#f1f1f1;--sys:#b3400e;--dia:#1d55b8;--ref:#6b5d00}\
        body{font-size:10.5pt;-webkit-print-color-adjust:exact;print-color-adjust:exact}main{max-width:none;padding:0}\
        main>header,.person>header{padding-bottom:5px}.person+.person{break-before:page;margin-top:0}.facts{margin:10px 0 0}.facts div{padding:7px 12px}figure{margin:8px 0 0}svg{width:82%}.parts{break-inside:avoid}h2{break-after:avoid;margin:12px 0 4px}figure,tr,.facts,footer{break-inside:avoid}thead{display:table-header-group}\
        th,td{padding:2.5px 6px}.text{break-inside:avoid}table{font-size:9.5pt}.diary td{font-size:8.5pt;line-height:1.3;padding:1.5px 6px}footer{font-size:8pt;margin-top:10px;padding-top:5px}footer p{margin:1px 0}}
        """
}
