/** The rule for answers that no table knows: docs/troubleshooting.md has it. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { failurePolicy } from '#domain/failure-policy.ts';
import { playbookError } from '#runner/ansible/playbook-failure.ts';
import { kubeoneError } from '#runner/kubeone/kubeone-failure.ts';
import { finished } from '#runner/stage-failure.ts';
import { terraformError } from '#runner/terraform/cli/diagnostics.ts';
import { propertyRuns } from '#test/property-runs.ts';
import { twoProviderState } from '#test/rendering/states.ts';
import { asKubeOnePrints } from './kubeone-shape.ts';

const numRuns = propertyRuns(2000);
const mayDisappear = [408, 409, 425, 429];

/** Codes and words of no language: no table knows them. */
const nonsense = fc.stringMatching(/^[B-DF-HJ-NP-TV-XZ][b-df-hj-np-tv-xz]{5,12}$/);
const status = (from: number, to: number) => fc.integer({ min: from, max: to });

/** How clouds put a status, a code and words into one text. */
const shapes: readonly ((status: number, code: string, words: string) => string)[] = [
  (number, code, words) =>
    `operation error EC2: RunInstances, https response error StatusCode: ${number}, RequestID: a, api error ${code}: ${words}`,
  (number, code, words) =>
    `performing CreateOrUpdate: unexpected status ${number} (${number} Xx) with error: ${code}: ${words}`,
  (number, code, words) => `googleapi: Error ${number}: ${words}, ${code.toLowerCase()}`,
  (number, code, words) => `${number}-${code}, ${words}`,
  (number, _, words) =>
    `Expected HTTP response code [201] when accessing [POST https://cloud], but got ${number} instead: ${words}`,
  (number, code, words) => `OVHcloud API error (status code ${number}): Client::${code}: "${words}"`,
  (number, _, words) => `POST https://api.digitalocean.com/v2/droplets: ${number} (request "0123") ${words}`,
  (number, _, words) =>
    `POST "https://api.cloudflare.com/client/v4/zones": ${number} {"success":false,"errors":[{"code":12345,"message":"${words}"}]}`,
  (number, code, words) => `API error ${number}: {"code":"${code.toLowerCase()}","message":"${words}"}`,
  (number, _, words) => `unexpected status code: ${number}, body: ${words}`,
];
const answer = (numbers: fc.Arbitrary<number>) =>
  fc
    .tuple(fc.constantFrom(...shapes), numbers, nonsense, nonsense)
    .map(([shape, number, code, words]) => shape(number, code, words));

const terraform = (summary: string) => {
  const about = { code: 'TerraformApplyFailed', nodes: new Set<string>(), workspace: 'w', fallback: '' };
  return finished(terraformError({ ...about, diagnostics: [{ severity: 'error', summary, detail: '' }] }));
};

describe('an answer that no table knows', () => {
  it('a refusal that no table knows is not retried, and says so', () => {
    const refused = status(400, 499).filter((number) => !mayDisappear.includes(number));
    fc.assert(
      fc.property(answer(refused), (text) => {
        const error = terraform(text);
        expect(error.retryable).toBe(false);
        expect(['user', 'credentials']).toContain(error.class);
        if (error.class === 'user') expect(error.hint).toContain('not retried');
      }),
      { numRuns },
    );
  });

  it('a failure of the service, and a refusal that may disappear, is retried', () => {
    const temporary = fc.oneof(status(500, 599), fc.constantFrom(...mayDisappear));
    fc.assert(
      fc.property(answer(temporary), (text) => {
        expect(terraform(text).retryable).toBe(true);
      }),
      { numRuns },
    );
  });

  it('a reset and a time-out are retried', () => {
    const words = fc.constantFrom(
      'connection reset by peer',
      'i/o timeout',
      'context deadline exceeded',
      'unexpected EOF',
    );
    fc.assert(
      fc.property(words, nonsense, (word, other) => {
        expect(terraform(`Post "https://x/${other}": ${word}`).retryable).toBe(true);
      }),
      { numRuns },
    );
  });

  it('a word of a machine that no row knows has one class, whichever tool was there', () => {
    const phase = fc.constantFrom(
      'install-debian',
      'install-rhel',
      'install-flatcar',
      'init',
      'join',
      'worker',
      'upgrade-leader',
      'reset',
    );
    fc.assert(
      fc.property(nonsense, phase, (word, where) => {
        const trouble = { event: 'failed', host: 'n1', task: 'Requirements', message: word, ignored: false } as const;
        const ansible = finished(playbookError([trouble], ''));
        const kubeone = finished(kubeoneError(asKubeOnePrints(where, word), twoProviderState()));
        expect([ansible.class, ansible.retryable, ansible.hint]).toEqual([
          kubeone.class,
          kubeone.retryable,
          kubeone.hint,
        ]);
        expect(ansible.retryable).toBe(failurePolicy[ansible.class].inPlace);
      }),
      { numRuns },
    );
  });
});
