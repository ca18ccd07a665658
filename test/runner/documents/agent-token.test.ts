/** The token of the agent: made by the nodes stage, in a Secret of the cluster, and nowhere else. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { agentTokenHash } from '#contracts/agent-token.ts';
import { builtinDocument, type DocumentState } from '#domain/cluster-documents.ts';
import type { ClusterFacts } from '#domain/cluster-state.ts';
import { kubeconfigTo } from '#test/fakes/kubeconfigs.ts';
import { twoProviderState } from '#test/rendering/states.ts';
import { aDocument, type StageWorld, stageWorld } from '../stage-world.ts';

const values = { api: 'https://kubeloom.example', ca: '', proxy: '', noProxy: '' };
const documents = [builtinDocument('kubeloom-agent', values)];
/** As a release left it in a cluster that brought the agent along with the autoscaler. */
const older = { ...builtinDocument('autoscaler', { ...values, image: 'an-image' }), version: 'builtin@3' };
const secret = 'v1 Secret kube-system/kubeloom-agent';

let world: StageWorld;
let facts: ClusterFacts;
beforeEach(async () => {
  world = stageWorld();
  facts = { nodes: {}, loadBalancers: {}, simulated: [] };
  const file = (name: string, text: string): void => {
    world.file(join('kubernetes', name), text);
  };
  file('upstream/agent.mjs', 'the program');
  file('autoscaler/autoscaler.yaml', 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: b }\n');
  file(
    'kubeloom-agent/program.yaml',
    'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\ndata: { a: "${agent}" }\n',
  );
  // Keeps what it is given and answers with it.
  world.set('KUBELOOM_KUBECTL', world.script('kubectl', `#!/bin/sh\ntee -a ${world.directory}/applied\n`));
  await world.ports.artifacts.putText('kubeconfigs/team/shop/shop-1234567', kubeconfigTo());
});
afterEach(() => world.close());

interface Work {
  readonly documents?: DocumentState[];
  readonly before?: DocumentState[];
  readonly documentsRemoved?: string[];
}

async function settle({ documents: applied = [], before = documents, documentsRemoved = [] }: Work) {
  const states = {
    before: twoProviderState({ documents: documentsRemoved.length > 0 ? before : [] }),
    target: twoProviderState({ documents: applied }),
  };
  const names = applied.map(({ name, version }) => ({ name, version }));
  const plan = { patch: [], remove: [], maxUnavailable: 1, documents: names, documentsRemoved };
  await world.put(aDocument([{ stage: 'nodes', reasons: [], work: plan }], { direction: 'settle', ...states }), facts);
  const result = await world.run('nodes');
  facts = await world.facts();
  return result;
}

const tokensApplied = (): readonly string[] =>
  [...readFileSync(join(world.directory, 'applied'), 'utf8').matchAll(/"token":"([^"]+)"/g)].flatMap(
    ([, one]) => one ?? [],
  );

test('the token is in a Secret of the cluster, its hash in the facts, and a renewal keeps the hash of the one before', async () => {
  await settle({ documents });
  const [first = ''] = tokensApplied();
  expect(first).toMatch(/^kla\.team\.shop\.shop-1234567\.[\w-]{43}$/);
  const appliedAt = expect.any(String);
  expect(facts.agent).toEqual({ tokenHash: agentTokenHash(first), appliedAt });
  expect(facts.documents?.['kubeloom-agent']?.objects).toEqual([secret, 'v1 ConfigMap a']);

  await settle({ documents });
  const [, second = ''] = tokensApplied();
  expect(facts.agent).toEqual({ tokenHash: agentTokenHash(second), before: agentTokenHash(first), appliedAt });
});

test('a token that never reached the cluster does not take the place of the one that the agent has', async () => {
  await settle({ documents });
  const [first = ''] = tokensApplied();
  const works = process.env.KUBELOOM_KUBECTL ?? '';
  world.set(
    'KUBELOOM_KUBECTL',
    world.script('refused', '#!/bin/sh\ncat >/dev/null\necho "the server is down" >&2\nexit 1\n'),
  );
  expect((await settle({ documents })).ok).toBe(false);
  expect(facts.agent).toMatchObject({ before: agentTokenHash(first) });
  expect(facts.agent).not.toHaveProperty('appliedAt');
  expect(facts.agent).toHaveProperty('pending', true);
  expect((await settle({ documents })).ok).toBe(false);
  world.set('KUBELOOM_KUBECTL', works);
  await settle({ documents });
  expect(facts.agent).toMatchObject({ before: agentTokenHash(first), appliedAt: expect.any(String) });
});

test('facts that do not say whether their token reached the cluster keep both tokens, the first renewal included', async () => {
  facts = { ...facts, agent: { tokenHash: 'newer', before: 'older' } };
  const works = process.env.KUBELOOM_KUBECTL ?? '';
  world.set('KUBELOOM_KUBECTL', world.script('refused', '#!/bin/sh\ncat >/dev/null\nexit 1\n'));
  for (const _try of [1, 2]) {
    expect((await settle({ documents })).ok).toBe(false);
    expect(facts.agent).toMatchObject({ before: 'newer', older: 'older' });
  }
  world.set('KUBELOOM_KUBECTL', works);
  await settle({ documents });
  expect(facts.agent).toMatchObject({ before: 'newer', older: 'older', appliedAt: expect.any(String) });
  expect(facts.agent).not.toHaveProperty('pending');
  const { tokenHash } = facts.agent ?? {};
  await settle({ documents });
  expect(facts.agent).toMatchObject({ before: tokenHash });
  expect(facts.agent).not.toHaveProperty('older');
});

test('the token is in no log, event, result or fact', async () => {
  const result = await settle({ documents });
  const [token = 'none'] = tokensApplied();
  const written = [await world.log('nodes'), await world.reported(), result, facts]
    .map((one) => JSON.stringify(one))
    .join();
  expect(written).not.toContain(token);
  expect(written).not.toContain(token.split('.').at(-1));
});

test('the Secret and the hash go with the documents of the agent', async () => {
  await settle({ documents });
  // Answers with the Secret, as the cluster has it.
  const live = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'kubeloom-agent', namespace: 'kube-system' } };
  const labelled = JSON.stringify({
    ...live,
    metadata: { ...live.metadata, labels: { 'kubeloom.dev/documents': 'kubeloom-agent' } },
  });
  const script = `#!/bin/sh\ncase "$*" in *" get "*) echo '${labelled}' ;; *" delete "*) cat >${world.directory}/deleted ;; esac\n`;
  world.set('KUBELOOM_KUBECTL', world.script('kubectl', script));
  expect((await settle({ documentsRemoved: ['kubeloom-agent'] })).error).toBeUndefined();
  expect(facts).not.toHaveProperty('agent');
  expect(readFileSync(join(world.directory, 'deleted'), 'utf8')).toContain('kubeloom-agent');
});

test('an autoscaler of an older version keeps the agent that came with it, until the documents of the agent take it over', async () => {
  await settle({ documents: [older] });
  expect(facts.documents?.autoscaler?.objects.toSorted()).toEqual(['v1 ConfigMap a', 'v1 ConfigMap b', secret]);
  const { tokenHash } = facts.agent ?? {};
  expect(tokenHash).toBe(agentTokenHash(tokensApplied()[0] ?? ''));
  await settle({ documents, before: [older], documentsRemoved: ['autoscaler'] });
  expect(Object.keys(facts.documents ?? {})).toEqual(['kubeloom-agent']);
  expect(facts.agent).toMatchObject({ before: tokenHash, tokenHash: agentTokenHash(tokensApplied()[1] ?? '') });
});

test('a runner without the program of the agent reports that, and applies nothing', async () => {
  world.file(join('kubernetes', 'upstream', 'agent.mjs'), undefined);
  expect((await settle({ documents })).error).toMatchObject({ class: 'bug', code: 'AgentMissing' });
  expect(facts).not.toHaveProperty('agent');
});
