/** Health checks of a machine group: what its machines are asked, and how often until the answer counts. */
import { z } from 'zod';

/** What one check asks; `port` is one of the machine itself. */
const asked = {
  tcp: z.strictObject({ kind: z.literal('tcp'), port: z.number().int() }),
  http: z.strictObject({
    kind: z.literal('http'),
    port: z.number().int(),
    /** Over TLS; certificates are not judged, since a machine is asked under its own address. */
    tls: z.boolean(),
    path: z.string(),
    status: z.number().int(),
    /** The answer contains it. */
    body: z.string().optional(),
  }),
  exec: z.strictObject({ kind: z.literal('exec'), command: z.string() }),
};

export const HealthCheck = z.strictObject({
  ask: z.discriminatedUnion('kind', [asked.tcp, asked.http, asked.exec]),
  /** Seconds of one try. */
  timeout: z.number().int(),
  /** Seconds between two tries. */
  pause: z.number().int(),
  /** Tries in a row. */
  unhealthyAfter: z.number().int(),
  healthyAfter: z.number().int(),
});
export type HealthCheck = z.infer<typeof HealthCheck>;

/** Longest time that a machine may need until one of its checks is decided, in seconds. */
export const longestCheck = 300;

/** How long it takes at most: tries that do not repeat an outcome often enough end, too. */
export function secondsOf({ timeout, pause, unhealthyAfter, healthyAfter }: Omit<HealthCheck, 'ask'>): number {
  return (timeout + pause) * mostTries({ unhealthyAfter, healthyAfter });
}

/** Then it counts as failed: its answers change all the time. */
export function mostTries({
  unhealthyAfter,
  healthyAfter,
}: Pick<HealthCheck, 'unhealthyAfter' | 'healthyAfter'>): number {
  return unhealthyAfter + healthyAfter - 1;
}

/** For people and events: `http :80/ready`. Queries and arguments may hold secrets: neither is in it. */
export function checkName({ ask }: Pick<HealthCheck, 'ask'>): string {
  switch (ask.kind) {
    case 'tcp':
      return `tcp :${ask.port}`;
    case 'http':
      return `${ask.tls ? 'https' : 'http'} :${ask.port}${ask.path.split(/[?#]/, 1)[0]}`;
    case 'exec':
      return `exec ${programOf(ask.command)}`;
    default:
      return ask satisfies never;
  }
}

/** The first word without its directory, if it is a plain name. */
function programOf(command: string): string {
  const [word = ''] = command.trim().split(/\s+/);
  const name = word.slice(word.lastIndexOf('/') + 1);
  return /^[\w.+-]{1,40}$/.test(name) ? name : 'script';
}
