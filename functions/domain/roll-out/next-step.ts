/** What a roll-out does next. Pure: the state machine asks for it before each of its steps. */
import { counted, listed } from '../words.ts';
import type { RollOut, RollOutCluster } from './roll-out.ts';
import { soakSecondsOf } from './roll-out-settings.ts';

/** Clusters that are worked on at once, however many may fail. */
const atOnce = 10;

export type NextStep =
  /** Those that are already in progress come first: an interrupted batch is finished before anything else. */
  | { readonly kind: 'run'; readonly clusters: readonly string[]; readonly wave: number; readonly opens: boolean }
  /** `soak` has to be stored when it is new. */
  | { readonly kind: 'soak'; readonly soak: NonNullable<RollOut['soak']>; readonly seconds: number }
  /** The clusters that are done have to be compared, and `soak` stored with `checked`. */
  | { readonly kind: 'check'; readonly soak: NonNullable<RollOut['soak']> }
  | { readonly kind: 'paused' }
  | { readonly kind: 'halted'; readonly because: string }
  | { readonly kind: 'ended'; readonly status: 'RolledOut' | 'Undone' };

export function nextStep(rollOut: RollOut, now: Date): NextStep {
  const { clusters, direction, settings, paused } = rollOut;
  const running = clusters.filter(({ state }) => state === 'running');
  const [first] = running;
  if (first) return { kind: 'run', clusters: running.map(({ name }) => name), wave: first.wave, opens: false };
  const failed = clusters.filter(({ state }) => state === 'failed');
  if (failed.length >= settings.maxFailed) return { kind: 'halted', because: failuresText(failed) };
  if (paused) return { kind: 'paused' };
  const waiting = clusters.filter(({ state }) => state === 'waiting');
  const wave = Math.min(...waiting.map((one) => one.wave));
  if (waiting.length === 0) {
    // A cluster with failures below the limit is retried by `resume`; it does not count as a success.
    if (failed.length > 0) return { kind: 'halted', because: `all others are done; ${failuresText(failed)}` };
    return { kind: 'ended', status: direction === 'forward' ? 'RolledOut' : 'Undone' };
  }
  const opens = !clusters.some((one) => one.wave === wave && one.state !== 'waiting');
  const soaking = direction === 'forward' && opens && wave > 0 ? soakBefore(rollOut, wave, now) : undefined;
  if (soaking) return soaking;
  const width = Math.min(atOnce, settings.maxFailed - failed.length);
  const chosen = waiting.filter((one) => one.wave === wave).slice(0, width);
  return { kind: 'run', clusters: chosen.map(({ name }) => name), wave, opens };
}

/** The pause between a wave and the next one, and the comparison after it. */
function soakBefore({ settings, soak }: RollOut, wave: number, now: Date): NextStep | undefined {
  const seconds = soakSecondsOf(settings);
  const until = new Date(now.getTime() + seconds * 1000).toISOString();
  const current = soak?.wave === wave - 1 ? soak : { wave: wave - 1, until };
  const left = Math.ceil((Date.parse(current.until) - now.getTime()) / 1000);
  if (left > 0) return { kind: 'soak', soak: current, seconds: left };
  return current.checked ? undefined : { kind: 'check', soak: current };
}

function failuresText(failed: readonly RollOutCluster[]): string {
  const some = failed.slice(0, 3).map(({ name, message = 'for no known reason' }) => `${name}: ${message}`);
  return `${counted(failed.length, 'cluster')} failed (${listed(failed.length > 3 ? [...some, ...failed.slice(3).map(({ name }) => name)] : some, 4)})`;
}
