import { a as compact, c as money, i as withoutEscapes, l as oneLine, n as rendered, o as duration, r as visible, s as moment, t as escaped } from "./page.js";
//#region src/export/export.css?inline
var export_default = ":root {\n  color-scheme: light dark;\n}\nbody {\n  max-width: 860px;\n  margin: 0 auto;\n  padding: 24px 16px 80px;\n  font:\n    15px/1.6 system-ui,\n    sans-serif;\n  background: light-dark(#fff, #141518);\n  color: light-dark(#1b1c1e, #ececf0);\n  overflow-wrap: anywhere;\n}\nh1 {\n  font-size: 1.5rem;\n}\nh2 {\n  margin: 48px 0 0;\n  padding-top: 16px;\n  border-top: 1px solid light-dark(#ddd, #333);\n  font-size: 1.15rem;\n}\nh3 {\n  margin: 0 0 4px;\n  font-size: 0.75rem;\n  color: light-dark(#6d6f78, #8d909c);\n}\nnav ol {\n  padding: 0;\n  list-style: none;\n  font-size: 0.875rem;\n}\n.depth-1 {\n  padding-left: 1.5em;\n}\n.depth-2 {\n  padding-left: 3em;\n}\n.depth-3 {\n  padding-left: 4.5em;\n}\n.depth-4,\n.depth-5,\n.depth-6 {\n  padding-left: 6em;\n}\n.facts,\nsmall {\n  color: light-dark(#6d6f78, #8d909c);\n  font-size: 0.8125rem;\n}\n.prompt,\n.response {\n  margin: 12px 0;\n  padding: 12px 16px;\n  border-radius: 8px;\n  background: light-dark(#eceffe, #23284a);\n}\n.response {\n  background: light-dark(#e4f4ea, #15301f);\n}\ndetails {\n  margin: 8px 0;\n  padding: 4px 12px;\n  border: 1px solid light-dark(#e4e4df, #2a2c33);\n  border-radius: 8px;\n}\nsummary {\n  cursor: pointer;\n  font-size: 0.875rem;\n}\npre {\n  padding: 10px 12px;\n  overflow: auto;\n  max-height: 480px;\n  border-radius: 6px;\n  background: light-dark(#f4f4f1, #0c0d10);\n  font-size: 0.8125rem;\n  white-space: pre-wrap;\n}\n.error {\n  color: light-dark(#b3261e, #ff8a80);\n}\n.link {\n  text-decoration: underline;\n}\n.host {\n  margin-left: 0.3em;\n  color: light-dark(#6d6f78, #8d909c);\n  font-size: 0.8em;\n}\ntable {\n  border-collapse: collapse;\n}\nth,\ntd {\n  padding: 4px 10px;\n  border: 1px solid light-dark(#ddd, #333);\n}\n";
//#endregion
//#region src/export/html.ts
function asHtml(title, streams) {
	const name = safe(oneLine(title, 200));
	return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${name}</title>
<style>${export_default}</style>
</head>
<body>
<h1>${name}</h1>
<nav aria-label="Agents"><ol>${streams.map((stream) => {
		const { depth, agent, title, status } = stream.view();
		const words = safe(title ? `${agent}: ${title}` : agent);
		return `<li class="depth-${Math.min(depth, 6)}"><a href="#s${stream.id}">${words}</a> <small>${status}</small></li>`;
	}).join("\n")}</ol></nav>
${streams.map(streamHtml).join("\n")}
</body>
</html>
`;
}
function streamHtml(stream) {
	const view = stream.view();
	const facts = [
		view.status,
		view.model ?? "",
		`${compact(view.tokens)} tokens`,
		view.cost_usd === null ? "" : money(view.cost_usd),
		view.ended === null ? "" : duration(view.ended - view.started),
		moment(view.started)
	];
	const name = safe(view.title ? `${view.agent}: ${view.title}` : view.agent);
	return `<section id="s${stream.id}">
<h2>${name}</h2>
<p class="facts">${facts.filter(Boolean).map(safe).join(" · ")}</p>
${stream.look().map(itemHtml).join("\n")}
</section>`;
}
function itemHtml(item) {
	switch (item.kind) {
		case "prompt": return `<div class="prompt"><h3>Asked</h3>${words(item.text)}</div>`;
		case "response": return `<div class="response"><h3>Answer to its parent</h3>${words(item.text)}</div>`;
		case "thinking": return `<details><summary>Thought</summary>${words(item.text)}</details>`;
		case "text": return `<div class="text">${words(item.text)}</div>`;
		case "error": return `<pre class="error">${safe(item.text)}</pre>`;
		case "raw": return `<details><summary>A record that has no name</summary><pre>${safe(item.text)}</pre></details>`;
		case "tool": {
			const call = item.call;
			const mark = call.ok === null ? "…" : call.ok ? "✓" : "✕";
			const input = safe(JSON.stringify(call.input, null, 2) ?? "");
			const result = call.result ? `<pre>${safe(withoutEscapes(call.result))}</pre>` : "";
			return `<details class="tool"><summary>${mark} ${safe(call.tool)}</summary><pre>${input}</pre>${result}</details>`;
		}
		default: return "";
	}
}
function words(text) {
	return [...rendered(text).values()].join("\n").replaceAll("<button type=\"button\" class=\"copy-code\">Copy</button>", "").replaceAll("<button type=\"button\" class=\"link\"", "<span class=\"link\"").replaceAll("</button>", "</span>");
}
function safe(text) {
	return escaped(visible(text));
}
//#endregion
export { asHtml };
