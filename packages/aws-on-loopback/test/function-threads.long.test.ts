/** A deadline that is enforced from outside of the thread: whatever a function does with a body, only its sender waits for it. */
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { functionThreads, type ThreadPool } from '../src/lambda/function-threads.ts';
import { silentLogger } from '../src/logger.ts';

const module = new URL('./endless-routes.ts', import.meta.url).href;
/** For what must be answered, however busy the machine is. */
const patient = 120_000;

function pool(more: Partial<ThreadPool> = {}) {
  const threads = functionThreads({ module, logger: silentLogger, ...more });
  onTestFinished(() => threads.close());
  const call = (name: string, { caller = 'ann', timeoutMs = patient, isLarge = true } = {}) =>
    threads.invoke({ name, event: { body: name }, isLarge, caller, timeoutMs });
  return { count: () => threads.count(), close: () => threads.close(), call };
}

describe('threads of functions', () => {
  it('a call is answered with what the function returns, or fails with what it throws', async () => {
    const { call } = pool();
    expect(await call('echo')).toMatchObject({ body: 'echo' });
    await expect(call('refuse')).rejects.toMatchObject({ name: 'Refused', message: 'not like this' });
    await expect(call('nothing')).rejects.toThrow('there is no function nothing');
  });

  it.each(['loop', 'expression', 'wait'])(
    'a function that never answers (%s) is ended at its deadline',
    async (name) => {
      const { call, count } = pool();
      const { thread } = (await call('echo')) as { thread: number };
      await expect(call(name, { timeoutMs: 300 })).rejects.toMatchObject({
        end: 'slow',
        message: 'it took longer than 0.3 s',
      });
      // Another thread takes its place.
      const next = (await call('echo')) as { thread: number };
      expect(next.thread).not.toBe(thread);
      await vi.waitFor(() => expect(count()).toBe(1), patient);
    },
  );

  it('other calls are answered while functions never end, and a caller who blocks threads leaves one to others', async () => {
    const { call, count } = pool({ most: 3 });
    const endless = Promise.allSettled([call('loop'), call('loop'), call('loop'), call('echo')]);
    expect(await call('echo', { caller: 'bob' })).toMatchObject({ body: 'echo' });
    expect(await call('echo', { caller: 'bob' })).toMatchObject({ body: 'echo' });
    expect(count()).toBe(3);
    const given = call('echo', { timeoutMs: 200 });
    await expect(given).rejects.toMatchObject({ end: 'busy', message: 'no thread had time for it within 0.2 s' });
    void endless;
  });

  it('small calls share a thread while it answers, and none waits for another that waits', async () => {
    const { call, count } = pool();
    const small = { isLarge: false };
    void Promise.allSettled([call('wait', small), call('wait', small)]);
    const threads = await Promise.all(Array.from({ length: 20 }, () => call('echo', small)));
    expect(new Set(threads.map((one) => (one as { thread: number }).thread)).size).toBe(1);
    expect(count()).toBe(1);
    await expect(call('wait', { ...small, timeoutMs: 200 })).rejects.toMatchObject({ end: 'slow' });
    expect(await call('echo', small)).toMatchObject({ body: 'echo' });
    expect(count()).toBe(1);
  });

  it('small calls that wait in a thread which is blocked are served elsewhere, once', async () => {
    const { call } = pool();
    const small = { isLarge: false };
    await call('echo', small);
    void Promise.allSettled([call('loop', small), call('expression', { ...small, caller: 'eve' })]);
    const counted = (await Promise.all([call('count', small), call('count', small)])) as { count: number }[];
    expect(counted.map(({ count }) => count).toSorted()).toEqual([1, 2]);
  });

  it('a call that shares a thread with one that never ends fails with the reason, after the thread was ended', async () => {
    const { call } = pool();
    const small = { isLarge: false };
    const waits = call('wait', small);
    const endless = call('loop', { ...small, timeoutMs: 3000 });
    await expect(Promise.race([waits, endless])).rejects.toMatchObject({ end: 'other' });
    await expect(endless).rejects.toMatchObject({ end: 'other' });
    expect(await call('echo', small)).toMatchObject({ body: 'echo' });
  });

  it('a function that needs too much memory is ended with its thread alone', async () => {
    const { call } = pool({ memoryMb: 64 });
    await expect(call('memory')).rejects.toMatchObject({
      end: 'memory',
      message: 'it needed more than 64 MB of memory',
    });
    expect(await call('echo')).toMatchObject({ body: 'echo' });
  });

  it('a thread that ends by a fault of its own fails its call, and the next call has another', async () => {
    const { call } = pool();
    await expect(call('exit')).rejects.toMatchObject({ end: 'fault' });
    expect(await call('echo')).toMatchObject({ body: 'echo' });
  });

  it('a module that cannot be loaded fails its calls and is not started again and again', async () => {
    const { call, count } = pool({ module: `${module}.missing` });
    await expect(call('echo')).rejects.toMatchObject({ end: 'fault' });
    await vi.waitFor(() => expect(count()).toBe(0), patient);
  });

  it('threads that serve nothing end, but for one, and none is left after the end', async () => {
    const { call, count, close } = pool({ idleMs: 1 });
    await Promise.all([call('echo'), call('echo'), call('echo')]);
    await vi.waitFor(() => expect(count()).toBe(1), patient);
    const endless = expect(call('loop')).rejects.toMatchObject({ end: 'busy' });
    await close();
    await endless;
    expect(count()).toBe(0);
    await expect(call('echo')).rejects.toMatchObject({ message: 'the platform is being stopped' });
  });
});
