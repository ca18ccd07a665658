/** Requests while something else happens: 20 a second, each on a connection of its own. */
import { readFile } from 'node:fs/promises';
import { request } from 'node:https';
import { setTimeout as pause } from 'node:timers/promises';
import { parse } from 'yaml';

export interface Requests {
  /** Throws when more than one in a thousand failed; goes on until so many were sent. Returns how many were sent. */
  stop(): Promise<number>;
}

/** `ask`: throws when it gets no good answer. */
export function requests(ask: () => Promise<void>): Requests {
  const failed: string[] = [];
  const open = new Set<Promise<void>>();
  let sent = 0;
  let running = true;
  const send = async (): Promise<void> => {
    const at = new Date().toISOString();
    await ask().catch((cause: Error) => failed.push(`${at} ${cause.message} ${cause.cause ?? ''}`));
  };
  const loop = (async () => {
    while (running || sent < 1000) {
      sent += 1;
      const one = send().finally(() => open.delete(one));
      open.add(one);
      await pause(50);
    }
  })();
  return {
    async stop() {
      running = false;
      await loop;
      await Promise.all(open);
      if (failed.length > sent / 1000)
        throw new Error(`${failed.length} of ${sent} requests failed: ${failed.slice(0, 5).join(', ')}`);
      return sent;
    },
  };
}

/** A page of the application. */
export async function askApplication(url: string): Promise<void> {
  const response = await fetch(url, { headers: { connection: 'close' }, signal: AbortSignal.timeout(10_000) });
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`${response.status}`);
}

/** `kubectl get nodes`, without the time that a process takes to start. */
export async function nodesRequest(kubeconfigFile: string): Promise<() => Promise<void>> {
  const { clusters, users } = parse(await readFile(kubeconfigFile, 'utf8')) as {
    clusters: readonly [{ cluster: { server: string; 'certificate-authority-data': string } }];
    users: readonly [{ user: { 'client-certificate-data': string; 'client-key-data': string } }];
  };
  const { cluster } = clusters[0];
  const { user } = users[0];
  const decoded = (text: string) => Buffer.from(text, 'base64');
  const options = {
    ca: decoded(cluster['certificate-authority-data']),
    cert: decoded(user['client-certificate-data']),
    key: decoded(user['client-key-data']),
    ...{ agent: false, timeout: 10_000 },
  } as const;
  return () =>
    new Promise((resolve, reject) => {
      const call = request(`${cluster.server}/api/v1/nodes`, options, (response) => {
        response.resume().on('error', reject);
        response.on('end', () =>
          response.statusCode === 200 ? resolve() : reject(new Error(`${response.statusCode}`)),
        );
      });
      call
        .on('timeout', () => call.destroy(new Error('no answer in 10 s')))
        .on('error', reject)
        .end();
    });
}
