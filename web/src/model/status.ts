/** What a run or an agent is doing; the rule is that of `unbraid.fold.status`. */
export type Status = 'working' | 'waiting' | 'done' | 'failed' | 'interrupted' | 'orphaned';

export const STATUSES: readonly Status[] = [
  ...(['working', 'waiting', 'done'] as const),
  ...(['failed', 'interrupted', 'orphaned'] as const),
];

const ENDS: Readonly<Record<string, Status>> = {
  completed: 'done',
  failed: 'failed',
  cancelled: 'interrupted',
  interrupted: 'interrupted',
  orphaned: 'orphaned',
};

/** The status of an agent whose stream has ended so. */
export function statusOfEnd(reason: string, ok: boolean): Status {
  return ENDS[reason] ?? (ok ? 'done' : 'failed');
}

/** Whether a run is not over. */
export function isLive(status: string): boolean {
  return status === 'working' || status === 'waiting';
}

/** How a turn has ended, of which an older log says no more than this. */
export function turnReason(ok: boolean, subtype: string): string {
  if (ok) return 'completed';
  return subtype === 'interrupted' ? 'interrupted' : 'failed';
}
