import CuffCore

extension LivePage {
    /// The place is there without alerts, too, so that the script finds it.
    func appendAlerts(to text: inout TextBuffer) {
        text.append("<div id=\"alerts-part\">\n")
        defer { text.append("</div>\n") }
        guard !alerts.isEmpty else { return }
        text.append("<section aria-labelledby=\"alerts\"><h2 id=\"alerts\" class=\"bad\">Alerts</h2>\n")
        text.append("<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Alerts\"><table><thead><tr>")
        text.append("<th scope=\"col\">Rule</th><th scope=\"col\">Condition</th><th scope=\"col\">Since</th>")
        text.append("<th scope=\"col\">Person</th><th scope=\"col\">Cuff</th></tr></thead>\n<tbody>\n")
        for alert in alerts {
            text.append("<tr><th scope=\"row\">")
            text.append(markup: alert.rule)
            text.append("</th><td>")
            text.append(markup: alert.condition)
            text.append("</td><td>")
            append(time: alert.since, to: &text)
            text.append("</td><td>")
            text.append(markup: alert.person ?? "")
            text.append("</td><td>")
            text.append(markup: alert.device ?? "")
            text.append("</td></tr>\n")
        }
        text.append("</tbody></table></div></section>\n")
    }
}
