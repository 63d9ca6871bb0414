import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AgentView } from '../model/agents';
import { nothingSpent } from '../model/usage';
import { between, detailFor, layoutOf } from './layout';
import { finishedBelow, inTreeOrder, treeOf, unfolded, walk } from './tree';

function agent(stream_id: number, parent: number | null, depth: number): AgentView {
  return {
    stream_id,
    parent_stream_id: parent,
    depth,
    agent: `agent ${stream_id}`,
    title: '',
    model: null,
    status: 'working',
    failure: '',
    asks: [],
    waits: [],
    background: false,
    own: nothingSpent(),
    context: [],
    compactions: [],
    started: 0,
    ended: null,
    last_tool: null,
    tools: [],
  };
}

/** Fleets as they grow: every agent is started by one that is already there. */
const fleets = fc.array(fc.nat(), { minLength: 1, maxLength: 80 }).map((picks) => {
  const agents: AgentView[] = [];
  picks.forEach((pick, id) => {
    const parent = agents[pick % Math.max(1, agents.length)];
    agents.push(agent(id, parent?.stream_id ?? null, parent ? parent.depth + 1 : 0));
  });
  return agents;
});
const rooms = fc.constantFrom(360, 1200);

test('every agent is in the order once, after its parent and next to its kin', () => {
  fc.assert(
    fc.property(fleets, (agents) => {
      const order = inTreeOrder(agents);
      expect(new Set(order)).toEqual(new Set(agents));
      expect(order).toHaveLength(agents.length);
      // Whoever comes next is a child of the one before or of somebody above it.
      const above: number[] = [];
      for (const { stream_id, parent_stream_id, depth } of order) {
        above.length = depth;
        expect(above.at(-1) ?? null).toBe(parent_stream_id);
        above.push(stream_id);
      }
    }),
  );
});

test('an agent whose parent is unknown, or younger, hangs from the root', () => {
  const agents = [agent(0, null, 0), agent(1, 7, 1), agent(2, 3, 1), agent(3, 2, 2)];
  expect(inTreeOrder(agents).map((each) => each.stream_id)).toEqual([0, 1, 2, 3]);
  expect(inTreeOrder([])).toEqual([]);
});

test('no node covers another', () => {
  fc.assert(
    fc.property(fleets, rooms, (agents, room) => {
      const { places, measures, width, height } = layoutOf(agents, room);
      const all = [...places.values()];
      expect(all).toHaveLength(agents.length);
      for (const [index, a] of all.entries()) {
        expect(a.x >= 0 && a.y >= 0).toBe(true);
        expect(a.x + measures.width <= width && a.y + measures.height <= height).toBe(true);
        for (const b of all.slice(index + 1)) {
          const apart =
            Math.abs(a.x - b.x) >= measures.width || Math.abs(a.y - b.y) >= measures.height;
          expect(apart).toBe(true);
        }
      }
    }),
  );
});

test('a fan of any size fits without being made smaller, and nobody covers another', () => {
  for (const count of [2, 12, 31, 60, 101, 200]) {
    const agents = Array.from({ length: count }, (_, id) =>
      agent(id, id === 0 ? null : 0, Math.min(id, 1)),
    );
    for (const frame of [
      { width: 690, height: 640 },
      { width: 1000, height: 900 },
    ]) {
      const detail = detailFor(agents, frame);
      const { places, measures, width, height } = layoutOf(agents, frame.width, detail);
      expect(width).toBeLessThan(frame.width * 1.02);
      expect(height).toBeLessThan(frame.height * 1.02);
      // A fan as large as people have shows the titles of all.
      if (count <= 60) expect(detail.look).not.toBe('dot');
      const all = [...places.values()];
      expect(all).toHaveLength(count);
      for (const [index, a] of all.entries()) {
        for (const b of all.slice(index + 1)) {
          const apart =
            Math.abs(a.x - b.x) >= measures.width || Math.abs(a.y - b.y) >= measures.height;
          expect(apart).toBe(true);
        }
      }
    }
  }
});

test('agents at work come first, and so does a branch that has one', () => {
  const done = (each: AgentView) => ({ ...each, ended: 1 });
  const agents = [
    agent(0, null, 0),
    done(agent(1, 0, 1)),
    agent(2, 0, 1),
    done(agent(3, 0, 1)),
    agent(4, 3, 2),
  ];
  expect(inTreeOrder(agents).map((each) => each.stream_id)).toEqual([0, 2, 3, 4, 1]);
});

test('a new agent never moves others past each other', () => {
  fc.assert(
    fc.property(fleets, rooms, (agents, room) => {
      const before = layoutOf(agents.slice(0, -1), room).places;
      const after = layoutOf(agents, room).places;
      for (const a of agents.slice(0, -1)) {
        for (const b of agents.slice(0, -1)) {
          if (a.depth !== b.depth) continue;
          const order = (from: typeof before) =>
            Math.sign(from.get(a.stream_id)!.y - from.get(b.stream_id)!.y);
          expect(order(after)).toBe(order(before));
        }
      }
    }),
  );
});

test('on the way between two layouts everyone is there', () => {
  const one = layoutOf([agent(0, null, 0)], 1200);
  const two = layoutOf([agent(0, null, 0), agent(1, 0, 1)], 1200);
  const [early, late] = [between(one, two)(0.5), between(one, two)(1)];
  expect(early.places.get(1)!.x).toBeGreaterThan(0);
  expect(early.places.get(1)!.x).toBeLessThan(two.places.get(1)!.x);
  expect(late).toBe(two);
});

test('whatever is folded, whoever works is seen, and so is the way to it', () => {
  const ends = fc.infiniteStream(fc.boolean());
  const picks = fc.infiniteStream(fc.boolean());
  fc.assert(
    fc.property(fleets, ends, picks, (agents, ended, picked) => {
      const some = agents.map((each) => ({ ...each, ended: ended.next().value ? 1 : null }));
      const root = treeOf(some);
      const finished = finishedBelow(root);
      const folded = new Set([...finished.keys()].filter(() => picked.next().value));
      const shown = new Set(unfolded(root, folded));
      const above = (agent: AgentView): AgentView[] => {
        const parent = some.find((each) => each.stream_id === agent.parent_stream_id);
        return parent ? [parent, ...above(parent)] : [];
      };
      for (const each of some) {
        const hidden = above(each).some((parent) => folded.has(parent.stream_id));
        expect(shown.has(each)).toBe(!hidden);
        if (each.ended === null) expect(hidden).toBe(false);
      }
      for (const branch of walk(root)) {
        const below = [...walk(branch)].slice(1);
        const through = below.length > 0 && below.every(({ agent }) => agent.ended !== null);
        expect(finished.get(branch.agent.stream_id)?.agents).toBe(
          through ? below.length : undefined,
        );
      }
    }),
  );
});

test('one that failed is counted however deep it is', () => {
  const done = (each: AgentView, status: AgentView['status']) => ({ ...each, status, ended: 1 });
  const agents = [
    agent(0, null, 0),
    done(agent(1, 0, 1), 'done'),
    done(agent(2, 1, 2), 'failed'),
    done(agent(3, 0, 1), 'interrupted'),
  ];
  const finished = finishedBelow(treeOf(agents));
  expect(finished.get(0)).toEqual({ agents: 3, failed: 1 });
  expect(finished.get(1)).toEqual({ agents: 1, failed: 1 });
  expect(finished.has(2)).toBe(false);
});
