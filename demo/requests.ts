/** Requests while something else happens: 20 a second, each on a connection of its own. */
import { setTimeout as pause } from 'node:timers/promises';

export interface Requests {
  /** Throws when more than one in a thousand failed; continues until that many were sent. Returns how many were sent. */
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
