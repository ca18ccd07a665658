/** Which programs and settings the builds of a platform find. */
import { dirname } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { builtKubeone } from '#local/kubernetes/available.ts';
import { kubeoneVersions } from '#local/kubernetes/parts.ts';
import { kubeloom, pathOfBuilds } from '#local/product.ts';

const places = (kubernetes: string) => pathOfBuilds(kubernetes, '/usr/local/bin:/usr/bin').split(':');
const simulated = expect.stringMatching(/\/local\/kubeone\/bin$/);
const built = kubeoneVersions.map((version) => dirname(builtKubeone(version)));
const machine = [dirname(process.execPath), '/usr/local/bin', '/usr/bin'];

describe('programs of builds', () => {
  it('an official kubeone on the PATH of the machine is found before those that were built where Kubernetes is real', () =>
    expect(places('real')).toEqual([...machine, ...built]));

  it('the kubeone of the simulated control plane is found first, and only where the control plane is simulated', () =>
    expect(places('simulated')).toEqual([simulated, ...machine]));
});

describe('settings of builds', () => {
  it('a build of the sim runner reads what is simulated when it starts, not as it was when the platform did', async () => {
    onTestFinished(() => void vi.unstubAllEnvs());
    vi.stubEnv('KUBELOOM_SIM_STAGE_MS', '150');
    vi.stubEnv('KUBELOOM_LOG', 'none');
    const [project] = await kubeloom('sim').projects({ KUBELOOM_TABLE: 'kubeloom' }, '/nowhere');
    expect(project?.environment).toMatchObject({ KUBELOOM_LOG: 'none', KUBELOOM_TABLE: 'kubeloom' });
    expect(project?.environment).not.toHaveProperty('KUBELOOM_SIM_STAGE_MS');
  });

  it.each([
    ['KUBELOOM_SIM_FAULTS', 'no list', /^KUBELOOM_SIM_FAULTS is not JSON\. Correct it/],
    ['KUBELOOM_SIM_FAULTS', '{"stage":"nodes"}', /^KUBELOOM_SIM_FAULTS: .*expected array/],
    ['KUBELOOM_SIM_FAULTS', '[{"stage":"nods"}]', /^KUBELOOM_SIM_FAULTS\[0\]\[stage\]: /],
    ['KUBELOOM_SIM_DRIFT', '[{"kind":"node","nod":"x"}]', /^KUBELOOM_SIM_DRIFT\[0\]: .*nod/],
    ['KUBELOOM_SIM_STAGE_MS', 'slow', /KUBELOOM_SIM_STAGE_MS: .*milliseconds/],
  ])('a platform does not start with a simulation that cannot be read: %s=%s', async (name, value, words) => {
    onTestFinished(() => void vi.unstubAllEnvs());
    vi.stubEnv(name, value);
    await expect(kubeloom('sim').projects({}, '/nowhere')).rejects.toThrow(words);
  });
});

it('what reads git repositories does so in a thread of its own', () => {
  const { inThreads = {}, quickTick } = kubeloom('sim');
  expect(Object.keys(inThreads)).toEqual([quickTick]);
});
