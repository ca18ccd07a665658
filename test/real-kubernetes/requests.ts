/** Requests to an application while something else happens: each on a new connection, 20 a second. */
import { setTimeout as pause } from 'node:timers/promises';

export interface Requests {
  /** `failed`: the cause of each request that got no answer of 200. */
  stop(): Promise<{ readonly sent: number; readonly failed: readonly string[] }>;
}

export function requests(url: string): Requests {
  const failed: string[] = [];
  const open = new Set<Promise<void>>();
  let sent = 0;
  let running = true;
  const send = async (): Promise<void> => {
    const at = new Date().toISOString();
    try {
      const response = await fetch(url, { headers: { connection: 'close' }, signal: AbortSignal.timeout(10_000) });
      await response.arrayBuffer();
      if (!response.ok) failed.push(`${at} ${response.status}`);
    } catch (cause) {
      failed.push(`${at} ${cause instanceof Error ? `${cause.message} ${cause.cause ?? ''}` : cause}`);
    }
  };
  const loop = (async () => {
    while (running) {
      sent += 1;
      const request = send().finally(() => open.delete(request));
      open.add(request);
      await pause(50);
    }
  })();
  return {
    async stop() {
      running = false;
      await loop;
      await Promise.all(open);
      return { sent, failed };
    },
  };
}
