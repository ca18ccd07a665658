/** One client of the load bench: works on its own manifests one after another and remembers what it was promised. */
import { setTimeout as pause } from 'node:timers/promises';
import { benchManifest } from './manifests.ts';

export interface Call {
  readonly kind: 'read' | 'write';
  /** 0: interrupted, because the platform was killed. */
  readonly status: number;
  readonly ms: number;
}

/** What the last answered write to a manifest promised. */
export interface Promised {
  readonly generation: number;
  readonly deleting: boolean;
  /** A later write was interrupted: it is not known whether it was accepted. */
  doubtful: boolean;
}

export interface Owned {
  readonly name: string;
  promised: Promised | undefined;
}

export interface LoadClient {
  readonly calls: Call[];
  /** Bodies of answers of 500 and more. */
  readonly faults: string[];
  /** Reads that showed an older generation than one acknowledged before. */
  readonly lostUpdates: string[];
  readonly owned: readonly Owned[];
  run(): Promise<void>;
  /** Reads one; status and parsed body. Waits while nothing answers. */
  look(name: string): Promise<{ readonly status: number; readonly body: ShownManifest }>;
}

export interface ShownManifest {
  readonly generation?: number;
  readonly status?: string;
  readonly deleting?: boolean;
  readonly lastRun?: { readonly status: string; readonly runId: string } | null;
  readonly clusters?: readonly { readonly failure: { readonly code: string; readonly message: string } | null }[];
}

export function loadClient(given: {
  readonly platform: { readonly apiUrl: string; readonly token: string };
  readonly index: number;
  /** performance.now() at which it stops. */
  readonly until: number;
  readonly owned: Owned[];
  /** Between an answer and the next request. */
  readonly pauseMs: number;
}): LoadClient {
  const { platform, index, until, owned, pauseMs } = given;
  const calls: Call[] = [];
  const faults: string[] = [];
  const lostUpdates: string[] = [];
  const urlOf = (name: string): string => `${platform.apiUrl}/v1/manifests/default/${name}`;

  const call = async (kind: Call['kind'], method: string, name: string, body?: unknown) => {
    const began = performance.now();
    const headers = { authorization: `Bearer ${platform.token}`, 'content-type': 'application/json' };
    const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    const answer = await fetch(urlOf(name), init)
      .then(async (response) => ({ status: response.status, text: await response.text() }))
      .catch(() => ({ status: 0, text: '{}' }));
    calls.push({ kind, status: answer.status, ms: performance.now() - began });
    if (answer.status >= 500) faults.push(`${method} ${name}: ${answer.status} ${answer.text.slice(0, 300)}`);
    if (answer.status === 0) await pause(100);
    return { status: answer.status, body: JSON.parse(answer.text || '{}') as ShownManifest };
  };

  const write = async (target: Owned, method: 'PUT' | 'DELETE', body?: unknown): Promise<void> => {
    const { status, body: answer } = await call('write', method, target.name, body);
    if (status === 0 && target.promised) target.promised.doubtful = true;
    if (status === 202 || (status === 200 && answer.generation !== undefined))
      target.promised = { generation: answer.generation ?? 0, deleting: method === 'DELETE', doubtful: false };
  };

  const read = async (target: Owned): Promise<void> => {
    const { promised } = target;
    const { status, body } = await call('read', 'GET', target.name);
    if (!promised || promised.doubtful) return;
    if (status === 404 && !promised.deleting) lostUpdates.push(`${target.name}: acknowledged, but 404`);
    if (status === 200 && (body.generation ?? 0) < promised.generation)
      lostUpdates.push(`${target.name}: acknowledged ${promised.generation}, shown ${body.generation}`);
  };

  return {
    calls,
    faults,
    lostUpdates,
    owned,
    async run() {
      for (let step = index; performance.now() < until; step += 1) {
        const target = owned[step % owned.length];
        if (!target) return;
        // Out of ten steps six read, three apply and one deletes; a manifest gets a different step each round.
        const kind = (step * 7 + Math.floor(step / owned.length) * 3 + index) % 10;
        if (kind < 6) await read(target);
        else if (kind < 9) await write(target, 'PUT', changed(target.name, step));
        else if (target.promised) await write(target, 'DELETE');
        await pause(pauseMs);
      }
    },
    async look(name) {
      for (;;) {
        const shown = await call('read', 'GET', name);
        if (shown.status !== 0) return shown;
      }
    },
  };
}

/** Each time another document: one or two nodes in a pool. */
function changed(name: string, step: number): object {
  const text = JSON.stringify(benchManifest(name, 'sim'));
  return JSON.parse(text.replace('"count":1', `"count":${1 + 2 * (step % 2)}`)) as object;
}
