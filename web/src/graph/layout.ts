import { hierarchy, tree } from 'd3-hierarchy';
import type { AgentView } from '../model/agents';
import { treeOf, walk, type Branch } from './tree';

export interface Point {
  x: number;
  y: number;
}

/** The size of the frame in which a graph is looked at. */
export interface Frame {
  width: number;
  height: number;
}

/** How large nodes are, and how far apart. */
export interface Measures {
  look: Look;
  width: number;
  height: number;
  across: number;
  down: number;
}

/** Where every agent stands (its upper left corner), and the size of it all. */
export interface Layout {
  measures: Measures;
  /** One below the other and set in by depth, where there is no room for columns. */
  narrow: boolean;
  places: Map<number, Point>;
  parents: Map<number, number>;
  /** Those that stand in a row behind another, with that one: a band joins them to one group. */
  behind: Map<number, number>;
  width: number;
  height: number;
}

/** What a node shows: everything, one line, its title, or its shape alone. */
export type Look = 'card' | 'line' | 'chip' | 'dot';

const MEASURES: Record<Look, Omit<Measures, 'width'>> = {
  card: { look: 'card', height: 70, across: 64, down: 14 },
  line: { look: 'line', height: 28, across: 56, down: 6 },
  chip: { look: 'chip', height: 24, across: 20, down: 5 },
  dot: { look: 'dot', height: 26, across: 24, down: 6 },
};
const INDENT = 24;
const NARROW = 420;

/** How much of each agent is shown, and how many of those that started nobody stand in a row. */
export interface Detail {
  look: Look;
  abreast: number;
  width: number;
}

export const WHOLE: Detail = { look: 'card', abreast: 1, width: 212 };
const LINE: Detail = { look: 'line', abreast: 1, width: 272 };
/** The most first. What does not fit shows less; only then would it have to be made smaller. */
const DETAILS: readonly Detail[] = [
  WHOLE,
  { ...LINE, width: 440 },
  ...[1, 2, 3, 4, 5].map((abreast): Detail => ({ look: 'chip', abreast, width: 280 })),
  ...[4, 8, 12, 16, 24].map((abreast): Detail => ({ look: 'dot', abreast, width: 26 })),
];
/** A chip may be as narrow as this: the beginning of a title is in it. */
const NARROWEST_CHIP = 104;
const WIDEST_CARD = 320;
const MARGIN = 20;
const SMALL_FAN = 3;
/** Letters that are smaller than this are hard to read. */
const LEGIBLE = 0.95;

/** The most that can be shown of everyone at once, at a size that can be read. */
export function detailFor(agents: AgentView[], frame: Frame): Detail {
  if (frame.width < NARROW) {
    // One below the other: each may take the width that there is.
    const detail = agents.length > 40 ? LINE : WHOLE;
    const depth = agents.reduce((most, agent) => Math.max(most, agent.depth), 0);
    const room = frame.width - 2 * MARGIN - INDENT * depth;
    return { ...detail, width: Math.max(detail.width, Math.min(room, WIDEST_CARD)) };
  }
  let [best, largest] = [WHOLE, 0];
  for (let detail of DETAILS) {
    const room = frame.width - 2 * MARGIN;
    const { height, measures, ...drawn } = layoutOf(agents, frame.width, detail);
    let { width } = drawn;
    if (detail.look === 'chip' && width > room) {
      const columns = Math.round((width + measures.across) / (measures.width + measures.across));
      const fitting = Math.floor((room + measures.across) / columns) - measures.across;
      detail = { ...detail, width: Math.max(NARROWEST_CHIP, fitting) };
      width = columns * (detail.width + measures.across) - measures.across;
    }
    const scale = Math.min(room / width, (frame.height - 2 * MARGIN) / height);
    if (scale >= LEGIBLE) return detail;
    if (scale > largest) [best, largest] = [detail, scale];
  }
  return best;
}

/** Siblings stand in order of appearance: a new agent moves others apart, and never past each
 *  other. */
export function layoutOf(agents: AgentView[], room: number, detail = WHOLE): Layout {
  const measures = { ...MEASURES[detail.look], width: detail.width };
  const branch = treeOf(agents);
  const layout: Layout = {
    measures,
    narrow: room < NARROW,
    places: new Map(),
    parents: new Map(),
    behind: new Map(),
    width: 0,
    height: 0,
  };
  if (branch === null) return layout;
  for (const { agent, children } of walk(branch)) {
    for (const child of children) layout.parents.set(child.agent.stream_id, agent.stream_id);
  }
  if (layout.narrow) layout.places = indented(branch, measures);
  else columns(branch, layout, detail.abreast);
  for (const { x, y } of layout.places.values()) {
    layout.width = Math.max(layout.width, x + measures.width);
    layout.height = Math.max(layout.height, y + measures.height);
  }
  return layout;
}

/** Left to right by depth; of those that started nobody, `abreast` in a row. */
function columns(branch: Branch, layout: Layout, abreast: number): void {
  const { measures, places, behind } = layout;
  // Who stands in a row behind another is laid out as if it were started by that one.
  const next = new Map<Branch, Branch>();
  const below = (branch: Branch): Branch[] => {
    const beside = next.get(branch);
    if (beside) return [beside];
    const first: Branch[] = [];
    let row: Branch[] = [];
    // A small fan stays one column: it is the large ones that need the room.
    const most = branch.children.length > SMALL_FAN ? abreast : 1;
    for (const child of branch.children) {
      if (child.children.length > 0) row = [];
      const before = row.at(-1);
      if (before !== undefined && row.length < most) {
        next.set(before, child);
        behind.set(child.agent.stream_id, before.agent.stream_id);
        row.push(child);
        continue;
      }
      row = child.children.length > 0 ? [] : [child];
      first.push(child);
    }
    return first;
  };
  const root = tree<Branch>()
    .nodeSize([measures.height + measures.down, measures.width + measures.across])
    .separation((a, b) => (a.parent === b.parent || abreast > 1 ? 1 : 1.25))(
    hierarchy(branch, below),
  );
  const top = root.descendants().reduce((least, node) => Math.min(least, node.x), 0);
  for (const node of root.descendants()) {
    places.set(node.data.agent.stream_id, { x: node.y, y: node.x - top });
  }
}

/** Top to bottom in the order of the tree. */
function indented(branch: Branch, measures: Measures): Map<number, Point> {
  const step = measures.height + measures.down;
  return new Map(
    Array.from(walk(branch), ({ agent }, row) => [
      agent.stream_id,
      { x: agent.depth * INDENT, y: row * step },
    ]),
  );
}

/** The way from one layout to the next; a new agent comes out of its parent. */
export function between(from: Layout, to: Layout): (t: number) => Layout {
  return (t) => {
    if (t >= 1) return to;
    const places = new Map<number, Point>();
    for (const [id, end] of to.places) {
      const start = from.places.get(id) ?? from.places.get(to.parents.get(id) ?? -1) ?? end;
      places.set(id, {
        x: start.x + (end.x - start.x) * t,
        y: start.y + (end.y - start.y) * t,
      });
    }
    return { ...to, places };
  };
}

/** The line from a parent to its child, or to the row that the child stands in; `aside` sets a
 *  second one beside it. */
export function edge(layout: Layout, id: number, aside = 0): string {
  const [child, parent] = [layout.places.get(id), layout.places.get(layout.parents.get(id) ?? -1)];
  if (child === undefined || parent === undefined || layout.behind.has(id)) return '';
  const { width, height } = layout.measures;
  const middle = child.y + height / 2 + aside;
  if (layout.narrow) {
    return `M${parent.x + INDENT / 2 - aside},${parent.y + height}V${middle}H${child.x}`;
  }
  const [x1, y1] = [parent.x + width, parent.y + height / 2 + aside];
  const bend = (x1 + child.x) / 2;
  return `M${x1},${y1}C${bend},${y1} ${bend},${middle} ${child.x},${middle}`;
}

/** The bands between those that stand in a row. */
export function bands(layout: Layout): { id: number; x: number; y: number; width: number }[] {
  return Array.from(layout.behind).flatMap(([id, before]) => {
    const [to, from] = [layout.places.get(id), layout.places.get(before)];
    if (to === undefined || from === undefined) return [];
    const x = from.x + layout.measures.width;
    return { id, x, y: to.y, width: Math.max(0, to.x - x) };
  });
}
