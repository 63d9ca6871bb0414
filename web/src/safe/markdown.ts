/**
 * An agent's Markdown as HTML that does nothing. Three walls, each enough on its own: HTML in the
 * source is shown as text, what comes out is cleaned by DOMPurify down to a few tags, and the
 * server's policy lets no script, frame or picture in.
 */
import DOMPurify from 'dompurify';
import { Marked, type Token, type Tokens } from 'marked';
import { highlighted } from './highlight';
import { visible } from './marks';

const SCHEMES = new Set(['http:', 'https:', 'mailto:']);
const ALLOWED = {
  ALLOWED_TAGS: [
    ...['p', 'br', 'hr', 'em', 'strong', 'del', 'code', 'pre', 'blockquote', 'span', 'button'],
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'ul', 'ol', 'li'],
    ...['table', 'thead', 'tbody', 'tr', 'th', 'td', 'div'],
  ],
  ALLOWED_ATTR: ['class', 'type', 'start', 'align', 'data-href', 'data-language', 'tabindex'],
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
};

const marked = new Marked({
  gfm: true,
  breaks: false,
  renderer: {
    html: ({ text }) => escaped(text),
    image: ({ href, text }) => `<span class="image">picture: ${escaped(text || href)}</span>`,
    checkbox: ({ checked }) => (checked ? '☑ ' : '☐ '),
    code: ({ text, lang }) => {
      const language = /^[\w+#-]{1,30}/.exec(lang ?? '')?.[0] ?? '';
      const shown = highlighted(text, language) ?? escaped(text);
      return `<div class="code"><pre tabindex="0" data-language="${language}"><code>${shown}</code></pre><button type="button" class="copy-code">Copy</button></div>`;
    },
    table(token) {
      const head = token.header.map((cell) => this.tablecell(cell)).join('');
      const rows = token.rows.map((row) => row.map((cell) => this.tablecell(cell)).join(''));
      const body = rows.map((row) => `<tr>${row}</tr>`).join('');
      return `<div class="wide" tabindex="0"><table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>`;
    },
    link({ href, tokens }) {
      const words = this.parser.parseInline(tokens);
      const url = target(href);
      if (url === null) return `${words} <span class="host">(${escaped(href)})</span>`;
      const host = url.host || url.pathname;
      return `<button type="button" class="link" data-href="${escaped(url.href)}">${words}</button><span class="host">${escaped(host)}</span>`;
    },
  },
});

// Markdown has names and numbers for characters: what they stand for is seen only now.
DOMPurify.addHook('uponSanitizeElement', (node) => {
  if (node.nodeType === Node.TEXT_NODE && node.textContent)
    node.textContent = visible(node.textContent);
});

/** An address that may be offered to a person; null for any other. */
export function target(href: string): URL | null {
  try {
    const url = new URL(href);
    return SCHEMES.has(url.protocol) ? url : null;
  } catch {
    return null;
  }
}

/** The top-level pieces of a text, each cleaned: while a text grows, only its last one changes. */
export function rendered(text: string, known?: ReadonlyMap<string, string>): Map<string, string> {
  const pieces = new Map<string, string>();
  const tokens = parsed(visible(text));
  tokens.forEach((token, place) => {
    if (token.type === 'space' || token.type === 'def') return;
    const key = `${place} ${token.raw}`;
    pieces.set(key, known?.get(key) ?? clean(token as Tokens.Generic));
  });
  return pieces;
}

/** Markdown may be nested deeper than the parser can go: then it is shown as it stands. */
function parsed(text: string): Token[] {
  try {
    return marked.lexer(text);
  } catch {
    return [{ type: 'code', raw: text, text }];
  }
}

function clean(token: Tokens.Generic): string {
  try {
    return DOMPurify.sanitize(marked.parser([token]), ALLOWED);
  } catch {
    return DOMPurify.sanitize(`<pre>${escaped(token.raw)}</pre>`, ALLOWED);
  }
}

export function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}
