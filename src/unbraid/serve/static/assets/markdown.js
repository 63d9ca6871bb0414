import { i as withoutEscapes, r as visible, s as moment } from "./page.js";
//#region src/export/markdown.ts
function asMarkdown(title, streams) {
	return [`# ${oneLineOf(title)}\n`, ...streams.map(streamMarkdown)].join("\n");
}
function streamMarkdown(stream) {
	const view = stream.view();
	const name = view.title ? `${view.agent}: ${view.title}` : view.agent;
	const facts = [
		view.status,
		view.model,
		`${view.tokens} tokens`,
		moment(view.started)
	];
	return [`## ${oneLineOf(name)}\n\n_${facts.filter(Boolean).join(" · ")}_\n`, ...stream.look().map(itemMarkdown)].filter(Boolean).join("\n");
}
function itemMarkdown(item) {
	switch (item.kind) {
		case "prompt": return `**Asked**\n\n${quoted(item.text)}\n`;
		case "thinking": return `_Thought_\n\n${quoted(item.text)}\n`;
		case "response": return `**Answer to its parent**\n\n${quoted(item.text)}\n`;
		case "text": return `${visible(item.text)}\n`;
		case "error": return `**Error**\n\n${fenced(item.text)}\n`;
		case "raw": return fenced(item.text);
		case "tool": {
			const call = item.call;
			const state = call.ok === null ? "no result" : call.ok ? "ok" : "failed";
			const input = fenced(JSON.stringify(call.input, null, 2) ?? "", "json");
			const result = call.result ? `\n${fenced(withoutEscapes(call.result))}` : "";
			return `**${oneLineOf(call.tool)}** (${state})\n\n${input}${result}`;
		}
		default: return "";
	}
}
/** A fence that no line of the text can close. */
function fenced(text, language = "") {
	const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((ticks) => ticks.length));
	const fence = "`".repeat(longest + 1);
	return `${fence}${language}\n${visible(text)}\n${fence}\n`;
}
function quoted(text) {
	return visible(text).replace(/^/gm, "> ");
}
function oneLineOf(text) {
	return visible(text).replace(/\s+/g, " ").trim();
}
//#endregion
export { asMarkdown };
