import { describe, expect, it } from 'vitest';
import type { Run } from './events';
import { iconWith, noticeOf, titleWith, waitOf } from './waits';

function run(name: string, tool?: string): Run {
  const waiting = tool ? { for: 'permission', since: 5, tool } : { for: 'prompt', since: 5 };
  return { run: name, title: `Fix ${name}`, waiting } as unknown as Run;
}

describe('notices', () => {
  it('names the one that waits', () => {
    expect(noticeOf([run('a', 'Bash')])).toEqual({
      title: 'Waits for permission to use Bash',
      body: 'Fix a: permission to use Bash',
      run: 'a',
    });
    expect(noticeOf([])).toBeNull();
  });

  it('counts many in one', () => {
    const notice = noticeOf(Array.from({ length: 100 }, (_, number) => run(`r${number}`)));
    expect(notice?.title).toBe('100 agents wait for you');
    expect(notice?.body.split('\n')).toHaveLength(6);
    expect(notice?.body).toContain('and 95 more');
  });

  it('shows what an agent would hide', () => {
    const hostile = { ...run('a', 'Ba\u202Esh\u001b'), title: 'x\n\n\u0007y' };
    const notice = noticeOf([hostile]);
    expect(/[\u202E\u001b\u0007]/.test(`${notice?.title}${notice?.body}`)).toBe(false);
    expect(notice?.body.split('\n')).toHaveLength(1);
  });

  it('knows a wait again', () => {
    expect(waitOf(run('a'))).toBe(waitOf(run('a')));
    expect(waitOf(run('a'))).not.toBe(waitOf(run('a', 'Bash')));
  });
});

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
