import { hierarchy, tree } from 'd3-hierarchy';
import type { AgentView } from '../model/agents';
import { treeOf, walk, type Branch } from './tree';

export interface Point {
  x: number;
  y: number;
}

/** How large nodes are, and how far apart. */
export interface Measures {
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
  width: number;
  height: number;
}

const CARDS: Measures = { width: 212, height: 70, across: 64, down: 14 };
const LINES: Measures = { width: 272, height: 28, across: 56, down: 6 };
const INDENT = 24;
const NARROW = 640;
/** Beyond these, a node is one line. */
export const MANY = 40;

/** Siblings stand in order of appearance: a new agent moves others apart, and never past each
 *  other. */
export function layoutOf(agents: AgentView[], room: number, many = agents.length > MANY): Layout {
  const measures = many ? LINES : CARDS;
  const branch = treeOf(agents);
  const layout: Layout = {
    measures,
    narrow: room < NARROW,
    places: new Map(),
    parents: new Map(),
    width: 0,
    height: 0,
  };
  if (branch === null) return layout;
  for (const { agent, children } of walk(branch)) {
    for (const child of children) layout.parents.set(child.agent.stream_id, agent.stream_id);
  }
  layout.places = layout.narrow ? indented(branch, measures) : columns(branch, measures);
  for (const { x, y } of layout.places.values()) {
    layout.width = Math.max(layout.width, x + measures.width);
    layout.height = Math.max(layout.height, y + measures.height);
  }
  return layout;
}

/** Left to right by depth. */
function columns(branch: Branch, measures: Measures): Map<number, Point> {
  const root = tree<Branch>()
    .nodeSize([measures.height + measures.down, measures.width + measures.across])
    .separation((a, b) => (a.parent === b.parent ? 1 : 1.25))(hierarchy(branch));
  const top = root.descendants().reduce((least, node) => Math.min(least, node.x), 0);
  return new Map(
    root.descendants().map((node) => [node.data.agent.stream_id, { x: node.y, y: node.x - top }]),
  );
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

/** The line from a parent to its child; `aside` sets a second one beside it. */
export function edge(layout: Layout, parent: Point, child: Point, aside = 0): string {
  const { width, height } = layout.measures;
  const middle = child.y + height / 2 + aside;
  if (layout.narrow) {
    return `M${parent.x + INDENT / 2 - aside},${parent.y + height}V${middle}H${child.x}`;
  }
  const [x1, y1] = [parent.x + width, parent.y + height / 2 + aside];
  const bend = (x1 + child.x) / 2;
  return `M${x1},${y1}C${bend},${y1} ${bend},${middle} ${child.x},${middle}`;
}
