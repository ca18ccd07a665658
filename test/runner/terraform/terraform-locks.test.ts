/** Terraform states that a build has locked, or may lock, or that a person has locked. */
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { StagePlan } from '#domain/plan.ts';
import { selfInLocks } from '#runner/terraform/state/state-lock.ts';
import { calls, openRecordings, recordings, stateKey, world } from '../recorded-terraform.ts';
import { aDocument } from '../stage-world.ts';

const machines: StagePlan = {
  stage: 'infrastructure',
  reasons: ['pools are new'],
  work: { workspaces: [{ kind: 'machines', name: 'hz-prod', destroy: false }] },
};

beforeEach(openRecordings);
afterEach(() => world.close());

describe('locked states', () => {
  const lock = (who: string) => JSON.stringify({ ID: 'lock-1', Operation: 'apply', Who: who });
  const owner = (who: string) => JSON.stringify({ who, waypoint: 'shop-abcde-g1-a0', build: 'terraform:7' });
  beforeEach(() => world.put(aDocument([machines])));

  it('a lock that one of our builds left behind is released, as its run has lost its lease', async () => {
    await world.ports.artifacts.putText(`${stateKey}.tflock`, lock('root@build-7'));
    await world.ports.artifacts.putText(`${stateKey}.owner`, owner('root@build-7'));
    world.ports.builds.statuses.set('terraform:7', 'ended');
    expect((await world.run('infrastructure')).ok).toBe(true);
    expect(readFileSync(join(recordings, 'calls'), 'utf8')).toContain('force-unlock -force -no-color lock-1');
    expect(await world.ports.artifacts.getText(`${stateKey}.owner`)).toContain(selfInLocks());
  });

  const ago = (hours: number) => new Date(world.ports.clock.now().getTime() - hours * 3_600_000).toISOString();
  it.each([
    ['running', 9, false],
    ['ended', 0, true],
    [undefined, 3.4, false],
    [undefined, 3.6, true],
  ] as const)(
    'a lock of a build of ours is left alone while that build runs or may run (its status: %s, taken %d hours ago)',
    async (status, hours, freed) => {
      const taken = { ...JSON.parse(lock('root@build-7')), Created: ago(hours) };
      await world.ports.artifacts.putText(`${stateKey}.tflock`, JSON.stringify(taken));
      await world.ports.artifacts.putText(`${stateKey}.owner`, owner('root@build-7'));
      if (status) world.ports.builds.statuses.set('terraform:7', status);
      const { ok, error } = await world.run('infrastructure');
      expect(ok).toBe(freed);
      expect(calls().some((call) => call?.startsWith('force-unlock'))).toBe(ok);
      expect(error?.code).toBe(ok ? undefined : 'StateInUse');
      expect(error?.retryable).toBe(ok ? undefined : true);
    },
  );

  it.each([
    ['running', false],
    ['ended', true],
    [undefined, true],
  ] as const)(
    'a state that no one has locked is left alone while the build runs that noted it (its status: %s): its lock may come',
    async (status, free) => {
      const noted = owner('root@build-7');
      await world.ports.artifacts.putText(`${stateKey}.owner`, noted);
      if (status) world.ports.builds.statuses.set('terraform:7', status);
      const { ok, error } = await world.run('infrastructure');
      expect({ ok, code: error?.code, retryable: error?.retryable }).toEqual(
        free ? { ok, code: undefined, retryable: undefined } : { ok: false, code: 'StateInUse', retryable: true },
      );
      expect((await world.ports.artifacts.getText(`${stateKey}.owner`)) === noted).toBe(!free);
      expect(calls().includes('apply')).toBe(free);
    },
  );

  it('a state whose build CodeBuild does not name is left alone, and the stage is retried', async () => {
    await world.ports.artifacts.putText(`${stateKey}.owner`, owner('root@build-7'));
    world.ports.builds.status = () => Promise.reject(new Error('Rate exceeded'));
    const { error } = await world.run('infrastructure');
    expect(error).toMatchObject({ class: 'conflict', code: 'StateInUse', retryable: true });
    expect(error?.message).toContain('Rate exceeded');
  });

  it('the lock owner of a runner without a user name is written as Terraform does', () => {
    const nameless = () => {
      throw new Error('ENOENT: no such file or directory, uv_os_get_passwd');
    };
    expect(selfInLocks(nameless)).toBe(`@${hostname()}`);
  });

  it('a lock that a person holds is not released', async () => {
    await world.ports.artifacts.putText(`${stateKey}.tflock`, lock('ada@laptop'));
    await world.ports.artifacts.putText(`${stateKey}.owner`, owner('root@build-7'));
    const { error } = await world.run('infrastructure');
    expect(error).toMatchObject({ class: 'conflict', code: 'StateLocked' });
    expect(error?.message).toContain('ada@laptop');
    expect(calls()).toEqual(['init']);
  });
});
