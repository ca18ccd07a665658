/** Which programs the builds of a platform find. */
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pathOfBuilds } from '#local/product.ts';

const places = (kubernetes: string) => pathOfBuilds(kubernetes, '/usr/local/bin:/usr/bin').split(':');
const standIn = expect.stringMatching(/\/local\/kubeone\/bin$/);
const machine = [dirname(process.execPath), '/usr/local/bin', '/usr/bin'];

describe('programs of builds', () => {
  it('an official kubeone on the PATH of the machine is found before the stand-in where Kubernetes is real', () =>
    expect(places('real')).toEqual([...machine, standIn]));

  it('the stand-in is found first where the control plane is simulated', () =>
    expect(places('simulated')).toEqual([standIn, ...machine]));
});
