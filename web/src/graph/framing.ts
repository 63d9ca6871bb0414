import { zoomIdentity, type ZoomTransform } from 'd3-zoom';
import { between, type Frame, type Layout } from './layout';

/** A graph as it is drawn: where everyone stands, and from where that is looked at. */
export interface Picture {
  layout: Layout;
  view: ZoomTransform;
}

/** The way from one picture to the next: whoever is at the same place in both stays there. */
export function gliding(from: Picture, to: Picture): (t: number) => Picture {
  const layout = between(from.layout, to.layout);
  const part = (t: number, a: number, b: number) => a + (b - a) * t;
  return (t) => {
    const k = part(t, from.view.k, to.view.k);
    const [x, y] = [part(t, from.view.x, to.view.x), part(t, from.view.y, to.view.y)];
    return { layout: layout(t), view: zoomIdentity.translate(x, y).scale(k) };
  };
}

const MARGIN = 20;
const SMALLEST_FIT = 0.6;

/** Show all of it; where that would be too small to read, its whole width, from the root. */
export function fitted(to: Layout, { width, height }: Frame): ZoomTransform {
  const [wide, high] = [(width - 2 * MARGIN) / to.width, (height - 2 * MARGIN) / to.height];
  const whole = !to.narrow && high >= SMALLEST_FIT ? Math.min(wide, high) : wide;
  const scale = Math.min(1, Math.max(SMALLEST_FIT, whole));
  const root = to.places.values().next().value ?? { x: 0, y: 0 };
  const spare = (room: number, size: number) => (room - size * scale) / 2;
  const x = Math.max(MARGIN, spare(width, to.width));
  if (to.narrow) return zoomIdentity.translate(x, MARGIN).scale(scale);
  const fits = spare(height, to.height) >= MARGIN - 1;
  const middle = height / 2 - (root.y + to.measures.height / 2) * scale;
  const lowest = height - MARGIN - to.height * scale;
  const y = fits ? spare(height, to.height) : Math.min(MARGIN, Math.max(lowest, middle));
  return zoomIdentity.translate(x, y).scale(scale);
}

/** The view after a wheel's turn; null where there is nothing more to see in that direction. */
export function scrolled(
  view: ZoomTransform,
  turn: WheelEvent,
  layout: Layout,
  { width, height }: Frame,
): ZoomTransform | null {
  const x = rest(turn.deltaX, view.x, layout.width * view.k, width);
  const y = rest(turn.deltaY, view.y, layout.height * view.k, height);
  return x === 0 && y === 0 ? null : moved(view, -x, -y);
}

/** The view with a node in the frame; null if it is there. */
export function revealed(
  view: ZoomTransform,
  id: number,
  layout: Layout,
  { width, height }: Frame,
): ZoomTransform | null {
  const place = layout.places.get(id);
  if (place === undefined) return null;
  const [x, y] = view.apply([place.x, place.y]);
  const [right, bottom] = view.apply([
    place.x + layout.measures.width,
    place.y + layout.measures.height,
  ]);
  const [dx, dy] = [into(x, right, width), into(y, bottom, height)];
  return dx === 0 && dy === 0 ? null : moved(view, dx, dy);
}

/** The view that leaves an agent where it is on the screen, whoever has come in above it. */
export function kept(
  view: ZoomTransform,
  id: number,
  before: Layout,
  after: Layout,
): ZoomTransform {
  const [from, to] = [before.places.get(id), after.places.get(id)];
  return from && to ? view.translate(from.x - to.x, from.y - to.y) : view;
}

/** What of a wheel's turn there is still something to see for. */
function rest(turn: number, begin: number, size: number, room: number): number {
  return turn < 0
    ? Math.min(0, Math.max(turn, begin - MARGIN))
    : Math.max(0, Math.min(turn, begin + size + MARGIN - room));
}

function into(low: number, high: number, room: number): number {
  return low < MARGIN ? MARGIN - low : high > room - MARGIN ? room - MARGIN - high : 0;
}

function moved(view: ZoomTransform, x: number, y: number): ZoomTransform {
  return zoomIdentity.translate(view.x + x, view.y + y).scale(view.k);
}
