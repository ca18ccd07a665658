/** A KubeOne that leaves what the test asks for, and the world it works in. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StagePlan } from '#domain/plan.ts';
import { makeSshKeyPair } from '#runner/openssh-key.ts';
import { kubeconfigTo } from '#test/fakes/kubeconfigs.ts';
import { type AnsweringHosts, answeringHosts } from './answering-hosts.ts';
import { aDocument, type StageWorld, stageWorld } from './stage-world.ts';

export const fakeKubeOne = `#!/bin/bash
out=$KUBELOOM_TEST_RECORDINGS
echo "$*" >> "$out.calls"
[ "$1" = version ] && { cat "$out.version" 2>/dev/null || echo '{"kubeone":{"gitVersion":"v1.14.1"}}'; exit 0; }
cp kubeone.yaml "$out.manifest"
echo 'INFO Installing prerequisites'
[ -e "$out.fail" ] && { cat "$out.fail" >&2; exit 1; }
[ "$1" = apply ] && [ ! -e "$out.nothing" ] && { cp "$out.kubeconfig-left" shop-kubeconfig; echo pki > shop.tar.gz; }
exit 0
`;

export const kubernetes = (action: 'apply' | 'reset'): StagePlan => ({
  stage: 'kubernetes',
  reasons: [],
  work: { action },
});
export const key = 'kubeconfigs/team/shop/shop-1234567';

export let world: StageWorld;
export let recordings: string;
export let hosts: AnsweringHosts;
export const calls = () => readFileSync(`${recordings}.calls`, 'utf8').trim().split('\n');

/** A cluster whose hosts answer, and a KubeOne that succeeds, unless a test records something else. */
export async function openKubeOne(): Promise<void> {
  hosts = await answeringHosts();
  world = stageWorld();
  recordings = join(world.directory, 'recording');
  world.set('KUBELOOM_TEST_RECORDINGS', recordings);
  writeFileSync(`${recordings}.kubeconfig-left`, kubeconfigTo());
  world.set('KUBELOOM_KUBEONE', world.script('kubeone', fakeKubeOne));
  for (const pool of ['control-aaaaaaa', 'workers-bbbbbbb']) {
    const { privateKey } = makeSshKeyPair(pool);
    await world.ports.secrets.put(`ssh/team/shop/shop-1234567/${pool}`, { privatekey: privateKey, publickey: '' });
  }
  await world.ports.secrets.put('user/team/basement-key', { privatekey: makeSshKeyPair('static').privateKey });
  await world.put(aDocument([kubernetes('apply')], { target: hosts.state() }), hosts.facts);
}

export async function closeKubeOne(): Promise<void> {
  world.close();
  await hosts.close();
}
