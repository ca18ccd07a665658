/** Session policies fit into what STS takes, and the places of jobs into its tags. */
import { expect, it } from 'vitest';
import { longestSessionPolicy, sessionPolicy } from '#functions/rights/session-policy.ts';

/** As long as names can be. */
const long = (start: string): string => start.padEnd(63, 'x');
const scope = { namespace: long('team'), secretPrefix: `/${'k'.repeat(20)}`, partition: 'aws-us-gov' };
const named = (namespace: string, count: number): string[] =>
  Array.from({ length: count }, (_, n) => `${namespace}/${long(`secret-${n}-`)}`);
const resourcesIn = (policy: string): readonly string[] =>
  JSON.parse(policy).Statement.flatMap(({ Resource = [] }: { Resource?: string | string[] }) => [Resource].flat());

it('a policy names each Secret where that fits', () => {
  const secrets = [...named(scope.namespace, 3), ...named(long('others'), 2)];
  const policy = sessionPolicy({ ...scope, secrets, copies: ['a'.repeat(64)] });
  expect(policy.length).toBeLessThanOrEqual(longestSessionPolicy);
  for (const secret of secrets) expect(resourcesIn(policy).some((arn) => arn.endsWith(`/user/${secret}`))).toBe(true);
  expect(policy).not.toContain(`user/${scope.namespace}/*`);
});

it('Secrets of the own namespace become one entry when they are too many, those of other namespaces never', () => {
  const foreign = named(long('others'), 5);
  const policy = sessionPolicy({ ...scope, secrets: [...named(scope.namespace, 200), ...foreign], copies: [] });
  expect(policy.length).toBeLessThanOrEqual(longestSessionPolicy);
  expect(policy).toContain(`user/${scope.namespace}/*`);
  expect(policy).not.toContain(`user/${long('others')}/*`);
  for (const secret of foreign) expect(policy).toContain(`user/${secret}`);
});

it('more Secrets of other namespaces than fit are refused with a sentence, and at the longest names nine fit', () => {
  const fits = (count: number): boolean => {
    try {
      sessionPolicy({ ...scope, secrets: named(long('others'), count), copies: [] });
      return true;
    } catch (error) {
      expect(error).toMatchObject({ name: 'InvalidManifest', message: expect.stringContaining('of other namespaces') });
      return false;
    }
  };
  expect(Array.from({ length: 20 }, (_, count) => fits(count)).lastIndexOf(true)).toBe(9);
});
