/** A title of the tab with the number of those that wait before it. */
export function titleWith(count: number, title: string): string {
  const bare = title.replace(/^\(\d+\) /, '');
  return count ? `(${count}) ${bare}` : bare;
}

/** The icon of the tab, with a number on it. */
export function iconWith(count: number): string {
  const number = count > 9 ? '9+' : String(count);
  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">' +
    '<rect width="32" height="32" rx="7" fill="#3d5afe"/>' +
    '<circle cx="18" cy="18" r="13" fill="#c62828" stroke="#fff" stroke-width="2"/>' +
    '<text x="18" y="24" font-family="sans-serif" font-size="17" font-weight="700" ' +
    `text-anchor="middle" fill="#fff">${number}</text></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
