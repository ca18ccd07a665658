/** Functions that read what others wrote, in threads. */
import { expect, it, onTestFinished, vi } from 'vitest';
import { lambdaHost } from '../src/lambda/lambda-host.ts';
import { threadedFunctions } from '../src/lambda/threaded-functions.ts';
import { silentLogger } from '../src/logger.ts';

const module = new URL('./endless-handler.ts', import.meta.url).href;

/** `read` has work when `work` says so. */
function host({ work = true, timeoutMs = 120_000 } = {}) {
  const here = { read: () => 'nothing to do', other: () => 'other' };
  const reader = { module, timeoutMs, hasWork: async () => work };
  const environmentOf = (name: string) => ({ LOOPBACK_TEST_OWN: `key of ${name}` });
  const threads = threadedFunctions(here, { read: reader }, { logger: silentLogger, environmentOf });
  onTestFinished(() => threads.close());
  return lambdaHost(threads.functions);
}

it('a function that reads documents works in a thread, with variables of its own; all others do not', async () => {
  const lambdas = host();
  expect(await lambdas.invoke('Read', {})).toEqual({ isMainThread: false, own: 'key of read' });
  expect(await lambdas.invoke('Other', {})).toBe('other');
});

it('no thread is started where there is nothing to read', async () => {
  expect(await host({ work: false }).invoke('Read', { endless: true })).toBe('nothing to do');
});

it('a function that reads without end is ended at its deadline, and the next call is answered', async () => {
  const lambdas = host({ timeoutMs: 1000 });
  const ended = lambdas.invoke('Read', { endless: true });
  await expect(ended).rejects.toMatchObject({ errorMessage: 'it took longer than 1 s' });
  await vi.waitFor(
    async () => expect(await lambdas.invoke('Read', {})).toMatchObject({ isMainThread: false }),
    120_000,
  );
});
