/** Ends of certificates as a check finds them: on machines, by the script that they get, and in the kubeconfig. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { allNodes } from '#domain/cluster-state.ts';
import { machineScript, readScriptFiles } from '#runner/machines/machine-script.ts';
import { adminConfUntil, certificateUntil } from '#test/fakes/certificates.ts';
import { encoded } from '#test/fakes/kubeconfigs.ts';
import { twoProviderState } from '#test/rendering/states.ts';
import { all, calls, look, members, mesh, openLooks, say, world } from './recorded-looks.ts';

beforeEach(openLooks);
afterEach(() => world.close());

describe('a check of certificates', () => {
  it('certificates that are due are found at once, on the nodes and in the kubeconfig', async () => {
    const [control = ''] = members;
    const pem = encoded(certificateUntil('2026-12-30T00:00:00Z'));
    const certificates = { '/etc/kubernetes/pki/apiserver.crt': pem };
    say(mesh().map((event) => (event.host === control ? { ...event, certificates } : event)));
    await world.ports.artifacts.putText('kubeconfigs/team/shop/shop-1234567', adminConfUntil('2026-12-31T00:00:00Z'));
    const { items, expiries } = await look();
    expect(items.map(({ kind, where }) => [kind, where.node ?? where.name])).toEqual([
      ['expiry', control],
      ['expiry', 'kubeconfig'],
    ]);
    expect(expiries?.[0]).toMatchObject({ node: control, until: '2026-12-30T00:00:00.000Z' });
    expect(calls().match(/^ssh: /gm)).toHaveLength(all.length);
  });

  it('a machine is asked for the certificates that its part in Kubernetes has, also of its kubelet', async () => {
    const state = twoProviderState();
    const files = await readScriptFiles(world.templates);
    const asked = allNodes(state).map(({ node, pool }) => {
      const [, found] = /KUBELOOM_CERTIFICATES='(.*)'/.exec(machineScript(state, { node, pool }, files)) ?? [];
      return [pool.role, found?.split(' ').length];
    });
    expect(new Set(asked.map(([role, count]) => `${role} ${count}`))).toEqual(
      new Set(['control 16', 'compute 2', 'loadBalancer undefined']),
    );
    const [{ node, pool } = {}] = allNodes(state);
    if (node === undefined || pool === undefined) throw new Error('there is no node');
    expect(machineScript(state, { node, pool, simulated: true }, files)).not.toContain('KUBELOOM_CERTIFICATES=');
  });
});
