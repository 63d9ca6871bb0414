/** Whether a key belongs to someone's text, to a dialog, or to the browser: then it is no shortcut. */
export function isTaken(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return true;
  const at = event.target instanceof Element ? event.target : null;
  return (
    // A slider or a box to tick takes no letters.
    at?.closest('input:not([type=range], [type=checkbox]), textarea, select') != null ||
    document.querySelector('dialog[open]') !== null
  );
}
