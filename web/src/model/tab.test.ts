import { describe, expect, it } from 'vitest';
import { iconWith, titleWith } from './tab';

describe('the tab', () => {
  it('has the number once, before any title', () => {
    expect(titleWith(2, 'unbraid')).toBe('(2) unbraid');
    expect(titleWith(3, '(2) unbraid')).toBe('(3) unbraid');
    expect(titleWith(0, '(3) unbraid')).toBe('unbraid');
  });

  it('has it on its icon', () => {
    expect(decodeURIComponent(iconWith(3))).toContain('>3</text>');
    expect(decodeURIComponent(iconWith(12))).toContain('>9+</text>');
  });
});
