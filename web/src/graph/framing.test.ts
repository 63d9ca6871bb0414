import { zoomIdentity } from 'd3-zoom';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fitted, gliding, kept, revealed, scrolled } from './framing';
import type { Layout } from './layout';

const frames = fc.record({
  width: fc.integer({ min: 400, max: 3000 }),
  height: fc.integer({ min: 300, max: 2000 }),
});
const views = fc
  .record({
    x: fc.integer({ min: -3000, max: 3000 }),
    y: fc.integer({ min: -3000, max: 3000 }),
    k: fc.constantFrom(0.6, 1, 1.2),
  })
  .map(({ x, y, k }) => zoomIdentity.translate(x, y).scale(k));
const layouts = fc
  .array(fc.record({ x: fc.nat(2000), y: fc.nat(2000) }), { minLength: 1, maxLength: 20 })
  .map((places): Layout => ({
    measures: { look: 'card', width: 212, height: 70, across: 64, down: 14 },
    narrow: false,
    places: new Map(places.entries()),
    parents: new Map(),
    behind: new Map(),
    width: Math.max(...places.map(({ x }) => x)) + 212,
    height: Math.max(...places.map(({ y }) => y)) + 70,
  }));

test('what fits is shown whole, at most as large as it is', () => {
  fc.assert(
    fc.property(layouts, frames, (layout, frame) => {
      const view = fitted(layout, frame);
      expect(view.k).toBeGreaterThanOrEqual(0.6);
      expect(view.k).toBeLessThanOrEqual(1);
      const fits =
        layout.width * 0.6 + 40 <= frame.width && layout.height * 0.6 + 40 <= frame.height;
      if (!fits) return;
      const [right, bottom] = view.apply([layout.width, layout.height]);
      expect(Math.min(view.x, view.y)).toBeGreaterThan(18);
      expect(right).toBeLessThan(frame.width - 18);
      expect(bottom).toBeLessThan(frame.height - 18);
    }),
  );
});

test('a node that is revealed is in the frame, and is not moved again', () => {
  fc.assert(
    fc.property(layouts, frames, views, fc.nat(), (layout, frame, view, pick) => {
      const id = pick % layout.places.size;
      const place = layout.places.get(id) ?? { x: 0, y: 0 };
      const after = revealed(view, id, layout, frame) ?? view;
      const [x, y] = after.apply([place.x, place.y]);
      const [right, bottom] = after.apply([place.x + 212, place.y + 70]);
      expect(Math.min(x, y)).toBeGreaterThanOrEqual(0);
      expect(right).toBeLessThanOrEqual(frame.width);
      expect(bottom).toBeLessThanOrEqual(frame.height);
      const again = revealed(after, id, layout, frame) ?? after;
      expect(again.x).toBeCloseTo(after.x);
      expect(again.y).toBeCloseTo(after.y);
    }),
  );
});

test('a wheel goes as far as there is something to see, and no further', () => {
  fc.assert(
    fc.property(layouts, frames, fc.constantFrom(-1, 1), (layout, frame, sign) => {
      let view = fitted(layout, frame);
      const turn = { deltaX: sign * 90, deltaY: sign * 70 } as WheelEvent;
      for (let turns = 0; turns < 200; turns += 1) {
        view = scrolled(view, turn, layout, frame) ?? view;
      }
      const again = scrolled(view, turn, layout, frame) ?? view;
      expect(again.x).toBeCloseTo(view.x);
      expect(again.y).toBeCloseTo(view.y);
      const [right, bottom] = view.apply([layout.width, layout.height]);
      expect(right).toBeGreaterThan(0);
      expect(bottom).toBeGreaterThan(0);
      expect(view.x).toBeLessThan(frame.width);
      expect(view.y).toBeLessThan(frame.height);
    }),
  );
});

test('whoever is kept stays on the screen, also on the way', () => {
  fc.assert(
    fc.property(layouts, layouts, views, fc.nat(), (before, after, view, pick) => {
      const id = pick % Math.min(before.places.size, after.places.size);
      const way = gliding(
        { layout: before, view },
        { layout: after, view: kept(view, id, before, after) },
      );
      const place = before.places.get(id)!;
      const [x, y] = view.apply([place.x, place.y]);
      for (const t of [0, 0.3, 0.9, 1]) {
        const { layout, view } = way(t);
        const there = layout.places.get(id)!;
        const [left, top] = view.apply([there.x, there.y]);
        expect(left).toBeCloseTo(x);
        expect(top).toBeCloseTo(y);
      }
    }),
  );
});
