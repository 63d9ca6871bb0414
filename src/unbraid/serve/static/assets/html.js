import{a as e,c as t,i as n,l as r,n as i,o as a,r as o,s,t as c}from"./page.js";var l=`:root{color-scheme:light dark}body{color:light-dark(#1b1c1e,#ececf0);overflow-wrap:anywhere;background:light-dark(#fff,#141518);max-width:860px;margin:0 auto;padding:24px 16px 80px;font:15px/1.6 system-ui,sans-serif}h1{font-size:1.5rem}h2{border-top:1px solid light-dark(#ddd,#333);margin:48px 0 0;padding-top:16px;font-size:1.15rem}h3{color:light-dark(#6d6f78,#8d909c);margin:0 0 4px;font-size:.75rem}nav ol{padding:0;font-size:.875rem;list-style:none}.depth-1{padding-left:1.5em}.depth-2{padding-left:3em}.depth-3{padding-left:4.5em}.depth-4,.depth-5,.depth-6{padding-left:6em}.facts,small{color:light-dark(#6d6f78,#8d909c);font-size:.8125rem}.prompt,.response{background:light-dark(#eceffe,#23284a);border-radius:8px;margin:12px 0;padding:12px 16px}.response{background:light-dark(#e4f4ea,#15301f)}details{border:1px solid light-dark(#e4e4df,#2a2c33);border-radius:8px;margin:8px 0;padding:4px 12px}summary{cursor:pointer;font-size:.875rem}pre{white-space:pre-wrap;background:light-dark(#f4f4f1,#0c0d10);border-radius:6px;max-height:480px;padding:10px 12px;font-size:.8125rem;overflow:auto}.error{color:light-dark(#b3261e,#ff8a80)}.link{text-decoration:underline}.host{color:light-dark(#6d6f78,#8d909c);margin-left:.3em;font-size:.8em}table{border-collapse:collapse}th,td{border:1px solid light-dark(#ddd,#333);padding:4px 10px}`;function u(e,t){let n=m(r(e,200));return`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${n}</title>
<style>${l}</style>
</head>
<body>
<h1>${n}</h1>
<nav aria-label="Agents"><ol>${t.map(e=>{let{depth:t,agent:n,title:r,status:i}=e.view(),a=m(r?`${n}: ${r}`:n);return`<li class="depth-${Math.min(t,6)}"><a href="#s${e.id}">${a}</a> <small>${i}</small></li>`}).join(`
`)}</ol></nav>
${t.map(d).join(`
`)}
</body>
</html>
`}function d(n){let r=n.view(),i=[r.status,r.model??``,`${e(r.tokens)} tokens`,r.cost_usd===null?``:t(r.cost_usd),r.ended===null?``:a(r.ended-r.started),s(r.started)],o=m(r.title?`${r.agent}: ${r.title}`:r.agent);return`<section id="s${n.id}">
<h2>${o}</h2>
<p class="facts">${i.filter(Boolean).map(m).join(` · `)}</p>
${n.look().map(f).join(`
`)}
</section>`}function f(e){switch(e.kind){case`prompt`:return`<div class="prompt"><h3>Asked</h3>${p(e.text)}</div>`;case`response`:return`<div class="response"><h3>Answer to its parent</h3>${p(e.text)}</div>`;case`thinking`:return`<details><summary>Thought</summary>${p(e.text)}</details>`;case`text`:return`<div class="text">${p(e.text)}</div>`;case`error`:return`<pre class="error">${m(e.text)}</pre>`;case`raw`:return`<details><summary>A record that has no name</summary><pre>${m(e.text)}</pre></details>`;case`tool`:{let t=e.call,r=t.ok===null?`…`:t.ok?`✓`:`✕`,i=m(JSON.stringify(t.input,null,2)??``),a=t.result?`<pre>${m(n(t.result))}</pre>`:``;return`<details class="tool"><summary>${r} ${m(t.tool)}</summary><pre>${i}</pre>${a}</details>`}default:return``}}function p(e){return[...i(e).values()].join(`
`).replaceAll(`<button type="button" class="copy-code">Copy</button>`,``).replaceAll(`<button type="button" class="link"`,`<span class="link"`).replaceAll(`</button>`,`</span>`)}function m(e){return c(o(e))}export{u as asHtml};