/** `health` of a machine group: what its machines are asked at each check, and what has to come back. */
import { z } from 'zod';
import { type HealthCheck, longestCheck, secondsOf } from '#domain/health-check.ts';
import { Port } from '../schema/load-balancers.ts';
import { hasControlCharacter, isHarmless, shown, Text } from '../schema/names.ts';

/** Limits of one group. */
const mostChecks = 10;

/** From `1s` to `60s`. */
const Seconds = z.string().refine((text) => secondsIn(text) !== undefined, {
  error: (issue) => `${shown(issue.input)} is not a time between 1 and 60 seconds; use a number with s, such as "5s"`,
});
const Tries = z
  .int()
  .min(1, { error: 'is less than 1; use 1 or more' })
  .max(20, { error: 'is more than 20; use fewer' });
const OneLine = Text.refine(isHarmless, { error: hasControlCharacter });

const Http = z.strictObject({
  port: Port.describe('Port of the machine.'),
  path: OneLine.refine((path) => /^\/\S*$/.test(path), {
    error: (issue) => `${shown(issue.input)} is not a path; begin it with "/", without spaces`,
  })
    .default('/')
    .describe('Path with query.'),
  status: z
    .int()
    .min(100, { error: 'is not an HTTP status; use 100 to 599' })
    .max(599, { error: 'is not an HTTP status; use 100 to 599' })
    .default(200)
    .describe('Expected status; redirects are not followed.'),
  body: OneLine.optional().describe('Text that the first 64 kB of the answer contain.'),
});

const GroupCheck = z
  .strictObject({
    tcp: z.strictObject({ port: Port.describe('Port of the machine.') }).optional(),
    http: Http.optional(),
    https: Http.optional().describe('Like `http`, over TLS; the certificate is not verified.'),
    exec: z
      .strictObject({
        command: OneLine.describe('Run as root by bash on the machine; 0 is healthy. It must change nothing.'),
      })
      .optional(),
    timeout: Seconds.default('5s').describe('Time of one try, `1s` to `60s`.'),
    pause: Seconds.default('5s').describe('Time between two tries.'),
    unhealthyAfter: Tries.default(3).describe('Tries in a row that have to fail.'),
    healthyAfter: Tries.default(1).describe('Tries in a row that have to succeed.'),
  })
  .superRefine((check, { addIssue }) => {
    const given = kinds.filter((kind) => check[kind] !== undefined);
    if (given.length !== 1) {
      const message =
        given.length === 0
          ? 'checks nothing; give it one of tcp, http, https and exec'
          : `has ${given.join(' and ')}; write one check for each`;
      addIssue({ code: 'custom', message });
    }
    const seconds = secondsOf(timesOf(check));
    if (seconds > longestCheck)
      addIssue({
        code: 'custom',
        message: `could take ${seconds} s for a machine, more than ${longestCheck}; use fewer tries, or shorter times`,
      });
  });
type GroupCheck = z.infer<typeof GroupCheck>;
const kinds = ['tcp', 'http', 'https', 'exec'] as const;

export const GroupHealth = z
  .array(GroupCheck)
  .max(mostChecks, { error: `has more than ${mostChecks} checks; use fewer` })
  .default([])
  .describe('Checks of each machine at each drift check; all of them have to succeed.');

/** As machines are asked. */
export function checksOf(health: readonly GroupCheck[]): readonly HealthCheck[] {
  return health.map((check) => ({ ask: askOf(check), ...timesOf(check) }));
}

function timesOf({ timeout, pause, unhealthyAfter, healthyAfter }: GroupCheck): Omit<HealthCheck, 'ask'> {
  const seconds = { timeout: secondsIn(timeout) ?? 1, pause: secondsIn(pause) ?? 1 };
  return { ...seconds, unhealthyAfter, healthyAfter };
}

function askOf({ tcp, http, https, exec }: GroupCheck): HealthCheck['ask'] {
  const web = http ?? https;
  if (web) {
    const { port, path, status, body } = web;
    return { kind: 'http', port, tls: http === undefined, path, status, ...(body !== undefined && { body }) };
  }
  if (tcp) return { kind: 'tcp', port: tcp.port };
  return { kind: 'exec', command: exec?.command ?? 'false' };
}

function secondsIn(text: string): number | undefined {
  const [, count] = /^(\d{1,2})s$/.exec(text) ?? [];
  const seconds = Number(count);
  return seconds >= 1 && seconds <= 60 ? seconds : undefined;
}
