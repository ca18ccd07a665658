/** Serving certificates of kubelets on an API server: found, approved for known nodes, and left alone for all others. */
import { execFile, execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { waypointKeys } from '#contracts/stage.ts';
import { DriftReport } from '#domain/drift.ts';
import { checkCertificates } from '#runner/drift/check-certificates.ts';
import { twoProviderFacts } from '#test/rendering/states.ts';
import { aCheck, aDocument, prefix, type StageWorld, stageWorld } from '#test/runner/stage-world.ts';
import type { DocumentsCluster } from './documents-contract.ts';
import { stateServedAt } from './served-state.ts';

const node = 'workers-bbbbbbb-01';

/** A request for a serving certificate as the kubelet of that node makes it. `directory`: for files in between. */
export function servingRequest(
  directory: string,
  { name, who, names }: { readonly name: string; readonly who: string; readonly names: string },
): object {
  const [key, config] = [join(directory, 'key'), join(directory, 'config')];
  writeFileSync(config, `[req]\ndistinguished_name=dn\n[dn]\n[ext]\nsubjectAltName=${names}\n`);
  const pem = execFileSync(
    'openssl',
    [
      ...['req', '-new', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', key],
      ...['-subj', `/O=system:nodes/CN=system:node:${who}`, '-config', config, '-reqexts', 'ext'],
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  return {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { name },
    spec: {
      signerName: 'kubernetes.io/kubelet-serving',
      request: pem.toString('base64'),
      usages: ['digital signature', 'server auth'],
    },
  };
}

/** Its load balancer is where the state says. */
const facts = { ...twoProviderFacts, loadBalancers: {} };

export function certificatesContract(cluster: () => DocumentsCluster): void {
  let world: StageWorld;

  beforeEach(async () => {
    world = stageWorld();
    world.set('KUBELOOM_KUBECTL', cluster().kubectl);
    await world.ports.artifacts.putText('kubeconfigs/team/shop/shop-1234567', cluster().kubeconfig());
  });
  afterEach(async () => {
    await kubectl('delete', 'certificatesigningrequests', '--all');
    world.close();
  });

  function kubectl(...args: readonly string[]): Promise<string> {
    const file = join(world.directory, 'own.kubeconfig');
    writeFileSync(file, cluster().kubeconfig());
    return new Promise((resolve) => {
      const all = [`--kubeconfig=${file}`, '--request-timeout=30s', ...args];
      execFile(cluster().kubectl, all, { timeout: 60_000 }, (_, stdout, stderr) => resolve(stdout + stderr));
    });
  }

  /** As the kubelet of that node would. */
  async function ask(name: string, who: string, names: string): Promise<void> {
    const request = servingRequest(world.directory, { name, who, names });
    const file = join(world.directory, 'csr.json');
    writeFileSync(file, JSON.stringify(request));
    const as = [`--as=system:node:${who}`, '--as-group=system:nodes', '--as-group=system:authenticated'];
    expect(await kubectl('create', '--validate=false', '-f', file, ...as)).toContain('created');
  }

  async function drift() {
    await world.put(aCheck(stateServedAt(cluster().kubeconfig()), facts));
    await world.checkDrift([checkCertificates]);
    return DriftReport.parse(JSON.parse((await world.ports.artifacts.getText(waypointKeys.drift(prefix))) ?? '')).items;
  }

  const conditionsOf = (name: string) =>
    kubectl('get', 'certificatesigningrequest', name, '-o', 'jsonpath={.status.conditions[*].type}');

  describe('serving certificates of kubelets', () => {
    test('a known node that waits is found as drift and gets its certificate; a stranger is reported and gets none', async () => {
      await ask('known', node, `DNS:${node},IP:192.168.2.3,IP:198.18.0.3`);
      await ask('greedy', node, `DNS:${node},DNS:kubernetes`);
      await ask('stranger', 'evil', 'DNS:evil');
      expect(await drift()).toMatchObject([
        { kind: 'certificate', where: { name: `system:node:${node}` }, repairable: false },
        { kind: 'certificate', where: { node }, repairable: true },
        { kind: 'certificate', where: { name: 'system:node:evil' }, repairable: false },
      ]);
      const work = { patch: [], remove: [], maxUnavailable: 1, certificates: true as const };
      await world.put(
        aDocument([{ stage: 'nodes', reasons: [], work }], {
          direction: 'repair',
          target: stateServedAt(cluster().kubeconfig()),
        }),
        facts,
      );
      expect((await world.run('nodes')).error).toBeUndefined();
      expect(await conditionsOf('known')).toBe('Approved');
      expect(await conditionsOf('greedy')).toBe('');
      expect(await conditionsOf('stranger')).toBe('');
      expect((await world.reported()).filter((line) => line.startsWith('CertificateApproved'))).toHaveLength(1);
      expect(await world.log('nodes')).toContain(
        'greedy for a serving certificate is not approved: kubernetes is not a known name or address of',
      );
      expect((await drift()).filter(({ repairable }) => repairable)).toEqual([]);
    });
  });
}
