import{a as e,c as t,d as n,i as r,l as i,n as a,o,r as s,s as c,t as l,u}from"./page.js";var d=`:root{color-scheme:light dark}body{color:light-dark(#1b1c1e,#ececf0);overflow-wrap:anywhere;background:light-dark(#fff,#141518);max-width:860px;margin:0 auto;padding:24px 16px 80px;font:15px/1.6 system-ui,sans-serif}h1{font-size:1.5rem}h2{border-top:1px solid light-dark(#ddd,#333);margin:48px 0 0;padding-top:16px;font-size:1.15rem}h3{color:light-dark(#6d6f78,#8d909c);margin:0 0 4px;font-size:.75rem}nav ol{padding:0;font-size:.875rem;list-style:none}.depth-1{padding-left:1.5em}.depth-2{padding-left:3em}.depth-3{padding-left:4.5em}.depth-4,.depth-5,.depth-6{padding-left:6em}.facts,small{color:light-dark(#6d6f78,#8d909c);font-size:.8125rem}.prompt,.response{background:light-dark(#eceffe,#23284a);border-radius:8px;margin:12px 0;padding:12px 16px}.response{background:light-dark(#e4f4ea,#15301f)}details{border:1px solid light-dark(#e4e4df,#2a2c33);border-radius:8px;margin:8px 0;padding:4px 12px}summary{cursor:pointer;font-size:.875rem}pre{white-space:pre-wrap;background:light-dark(#f4f4f1,#0c0d10);border-radius:6px;max-height:480px;padding:10px 12px;font-size:.8125rem;overflow:auto}.error{color:light-dark(#b3261e,#ff8a80)}.link{text-decoration:underline}.host{color:light-dark(#6d6f78,#8d909c);margin-left:.3em;font-size:.8em}table{border-collapse:collapse}th,td{border:1px solid light-dark(#ddd,#333);padding:4px 10px}.retracted{opacity:.6;text-decoration:line-through}`;function f(e,t){let r=_(n(e,200));return`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${r}</title>
<style>${d}</style>
</head>
<body>
<h1>${r}</h1>
<nav aria-label="Agents"><ol>${t.map(e=>{let{depth:t,agent:n,title:r,status:i}=e.view(),a=_(r?`${n}: ${r}`:n);return`<li class="depth-${Math.min(t,6)}"><a href="#s${e.id}">${a}</a> <small>${i}</small></li>`}).join(`
`)}</ol></nav>
${t.map(p).join(`
`)}
</body>
</html>
`}function p(e){let n=e.view(),r=[n.status,n.model??``,`${c(n.tokens)} tokens`,t(n),n.ended===null?``:i(n.ended-n.started),u(n.started)],a=_(n.title?`${n.agent}: ${n.title}`:n.agent);return`<section id="s${e.id}">
<h2>${a}</h2>
<p class="facts">${r.filter(Boolean).map(_).join(` · `)}</p>
${e.look().map(m).join(`
`)}
</section>`}function m(e){let t=h(e);return e.retracted?`<div class="retracted"><h3>Retracted</h3>${t}</div>`:t}function h(e){switch(e.kind){case`prompt`:return`<div class="prompt"><h3>Prompt</h3>${g(e.text)}</div>`;case`response`:return`<div class="response"><h3>Answer to parent</h3>${g(e.text)}</div>`;case`thinking`:return`<details><summary>Thought</summary>${g(e.text)}</details>`;case`text`:return`<div class="text">${g(e.text)}</div>`;case`error`:return`<pre class="error">${_(e.text)}</pre>`;case`unrecognized`:case`malformed`:return`<details><summary>${_(a(e))}</summary><pre>${_(e.text)}</pre></details>`;case`tool`:{let t=e.call,n=t.ok===null?`…`:t.ok?`✓`:`✕`,r=_(JSON.stringify(t.input,null,2)??``),i=t.result?`<pre>${_(o(t.result))}</pre>`:``;return`<details class="tool"><summary>${n} ${_(t.tool)}</summary><pre>${r}</pre>${i}</details>`}default:return`<p class="facts">${_(l(e))}</p>`}}function g(e){return[...r(e).values()].join(`
`).replaceAll(`<button type="button" class="copy-code">Copy</button>`,``).replaceAll(`<button type="button" class="link"`,`<span class="link"`).replaceAll(`</button>`,`</span>`)}function _(t){return s(e(t))}export{f as asHtml};