/** A call of a port that is not declared does not compile: `tsc` is the test, an unused `@ts-expect-error` its failure. */
import { expect, it, vi } from 'vitest';
import { z } from 'zod';
import { noFacts } from '#domain/cluster-state.ts';
import { taskHandler } from '#functions/middleware.ts';
import { knownFacts } from '#functions/pipeline/records/known-facts.ts';
import { useDeps } from '#functions/wire.ts';
import type { SecretReader } from '#runner/stage-context.ts';
import { fakeDeps } from '#test/fakes/fake-deps.ts';

it('a port under another name has no method that its handler does not declare', async () => {
  vi.stubEnv('KUBELOOM_LOG', 'none');
  useDeps(fakeDeps());
  const handler = taskHandler(z.unknown(), ['artifacts.getText'], async (_input, { artifacts }) => {
    const store = artifacts;
    // @ts-expect-error `artifacts.putText` is not declared
    await store.putText('a', 'text');
    return store.getText('a');
  });
  expect(handler.uses).toEqual(['artifacts.getText']);
  expect(await handler({})).toBe('text');
  useDeps(undefined);
  vi.unstubAllEnvs();
});

it('a handler cannot pass its ports to a function that calls more than it declares', () => {
  const handler = taskHandler(z.unknown(), ['clusters.get'], async (_input, deps) => {
    // @ts-expect-error `knownFacts` reads artifacts
    return knownFacts(deps, { facts: noFacts });
  });
  expect(handler.uses).toEqual(['clusters.get']);
});

it('a driver has no method of a port that its runner may not call', () => {
  const driver = ({ ports: { secrets } }: SecretReader): unknown => {
    const store = secrets;
    // @ts-expect-error only the runner of Terraform may remove secrets
    return store.remove;
  };
  expect(driver).toBeTypeOf('function');
});
