/** What the page and its exports say about an item that is more an occurrence than words. */
import { compact } from '../parts/format';
import type { Compaction } from './context';
import type { Item, Request } from './items';
import { summaryOf } from './tools';

const ENDS: Record<string, string> = { orphaned: 'its process disappeared' };
const ANSWERS: Record<string, string> = { allow: 'allowed', deny: 'denied' };

/** What is wrong with a record that nobody can read. */
export function recordNote(item: Item): string {
  if (item.kind === 'unrecognized') return 'Unrecognized record';
  return `Unreadable at byte ${item.offset}: ${item.reason}`;
}

/** One line for an item that is no words, no call and no record; nothing for one that is. */
export function noteOf(item: Item): string {
  switch (item.kind) {
    case 'permission':
      return permissionNote(item.request!);
    case 'turn':
      if (item.ok) return 'Turn complete';
      if (item.reason === 'interrupted') return 'Turn interrupted';
      return ['Turn failed', item.text].filter(Boolean).join(': ');
    case 'compacted': {
      const how = item.reason === 'auto' ? ' automatically' : '';
      const cut = item.cut ? cutOf(item.cut) : '';
      return `Context compacted${how}${cut && `: ${cut} tokens`}`;
    }
    case 'retracted': {
      const count = item.message_ids?.length ?? 0;
      return `Retracted ${count} message${count === 1 ? '' : 's'}`;
    }
    case 'response':
      return item.repeats === null ? '' : 'Returned to the parent as the answer';
    case 'end':
      return `Ended: ${ENDS[item.reason ?? ''] ?? item.reason}`;
    default:
      return '';
  }
}

/** From and to how many tokens a context was cut, as far as that is known. */
export function cutOf({ before, after }: Compaction): string {
  if (before === null || after === null) return '';
  return `${compact(before)} → ${compact(after)}`;
}

function permissionNote(request: Request): string {
  const answer = request.behavior ?? 'requested';
  const state = `Permission ${ANSWERS[answer] ?? answer}${request.by ? ` by ${request.by}` : ''}`;
  if (request.tool === null) return state;
  return `${state}: ${request.tool} ${summaryOf(request.tool, request.input)}`.trimEnd();
}
