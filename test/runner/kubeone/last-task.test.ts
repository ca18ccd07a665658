/** The last task of KubeOne, which waits for each Node of Kubernetes: what a node that is left out keeps from ending. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { kubeconfigTo } from '#test/fakes/kubeconfigs.ts';
import { closeKubeOne, hosts, key, kubernetes, openKubeOne, recordings, world } from '../recorded-kubeone.ts';
import { aDocument } from '../stage-world.ts';

const worker = 'workers-bbbbbbb-01';
const created = readFileSync(join(import.meta.dirname, '../kubeone-outputs/create.txt'), 'utf8');
/** Up to the beginning of its last task. */
const log = created.slice(0, created.indexOf('system files...') + 'system files..."\n'.length);
const ended = 'Error: kubernetes: waiting for all Nodes to be Ready\ncontext deadline exceeded';

/** After its log it waits for ever, or until kubectl was asked and then says that a node is not ready; without a log it ends at once. */
const fake = `#!/bin/bash
out=$KUBELOOM_TEST_RECORDINGS
[ "$1" = version ] && { echo '{"kubeone":{"gitVersion":"v1.14.1"}}'; exit 0; }
cp "$out.kubeconfig-left" shop-kubeconfig
cat "$out.log"
[ -e "$out.ends" ] && { until [ -e "$out.asked" ]; do read -rt 0.05 <> <(:); done; cat "$out.ends" >&2; exit 10; }
[ -e "$out.succeeds" ] && exit 0
trap 'exit 130' INT
while :; do read -rt 1 <> <(:); done
`;

beforeEach(async () => {
  await openKubeOne();
  writeFileSync(`${recordings}.log`, log);
  world.set('KUBELOOM_KUBEONE', world.script('kubeone', fake));
  const answer = `#!/bin/bash\ntouch "$KUBELOOM_TEST_RECORDINGS.asked"\ncat "$KUBELOOM_TEST_RECORDINGS.nodes"\n`;
  world.set('KUBELOOM_KUBECTL', world.script('kubectl', answer));
  await world.ports.artifacts.putText(key, kubeconfigTo());
});
afterEach(closeKubeOne);

/** A grow of a cluster that had all of its nodes; `unready`: what Kubernetes reports as not ready. */
async function grow(dead: readonly string[], unready: readonly string[]) {
  const names = Object.keys(hosts.facts.nodes);
  const items = names.map((name) => ({
    metadata: { name },
    status: { conditions: [{ type: 'Ready', status: unready.includes(name) ? 'Unknown' : 'True' }] },
  }));
  writeFileSync(`${recordings}.nodes`, JSON.stringify({ items }));
  const nodes = Object.entries(hosts.facts.nodes).map(([name, node]) => [
    name,
    { ...node, joined: true, ...(dead.includes(name) ? hosts.dead : {}) },
  ]);
  const document = aDocument([kubernetes('apply')], { before: hosts.state(), target: hosts.state() });
  await world.put(document, { ...hosts.facts, nodes: Object.fromEntries(nodes) });
  return world.run('kubernetes');
}

it('KubeOne is ended at its last task once all nodes that are not left out are ready', async () => {
  expect((await grow([worker], [worker])).error).toBeUndefined();
  expect((await world.reported()).join()).toContain('Kubernetes 1.34.2 runs');
  expect(await world.log('kubernetes')).toContain('stopping kubeone: all nodes that are not left out are ready');
});

it('KubeOne is not ended while a node that joined is not ready: what it says then fails the stage', async () => {
  writeFileSync(`${recordings}.ends`, ended);
  const { error } = await grow([worker], [worker, 'basement-01']);
  expect(error?.message).toContain('waiting for all Nodes to be Ready');
});

it('KubeOne is not ended before its last task, whatever a machine prints', async () => {
  const line = 'level=info msg="Fixing permissions of the kubernetes system files..."';
  writeFileSync(
    `${recordings}.log`,
    `[192.0.2.1] time="05:43:24 UTC" ${line}\ntime="05:43:24 UTC" level=info msg="x\\n${line}"\n`,
  );
  writeFileSync(`${recordings}.succeeds`, '');
  expect((await grow([worker], [worker])).error).toBeUndefined();
  expect(await world.log('kubernetes')).not.toContain('stopping kubeone');
});

it('KubeOne is not ended when no node is left out', async () => {
  writeFileSync(`${recordings}.succeeds`, '');
  expect((await grow([], [])).error).toBeUndefined();
  expect(await world.log('kubernetes')).not.toContain('stopping kubeone');
});
