/** SSH access of a person to nodes: the nodes accept their public key until a given time; keys of pools are not changed. */
import { createHash } from 'node:crypto';
import type { OpenedNodes, SshQuestion } from '#contracts/access-requests.ts';
import { allNodes } from '#domain/cluster-state.ts';
import { nameOfCluster } from '#domain/naming.ts';
import { renderInventory, visitedNodes } from '#rendering/inventory.ts';
import { publicAddressOf, sshPortOf, sshUserOf } from '#rendering/node-access.ts';
import { Playbooks } from '../ansible/play.ts';
import type { AnswerContext } from '../answer-question.ts';
import { writeSshKeyFiles } from '../ssh-keys.ts';
import { StageFailure } from '../stage-failure.ts';
import { reportAccess } from './report-access.ts';

/** Throws `StageFailure` when not a single node was opened, or it cannot be reported. */
export async function openSsh(question: SshQuestion, context: AnswerContext): Promise<OpenedNodes> {
  const { current: target, facts, nodes, publicKey, seconds } = question;
  const until = new Date(context.ports.clock.now().getTime() + seconds * 1000);
  const access = { key: publicKey.split(' ').slice(0, 2).join(' '), until: String(Math.floor(until.getTime() / 1000)) };
  const silent = await visit(question, context, access);
  const opened = allNodes(target)
    .filter(({ node }) => nodes.includes(node.name))
    .map(({ node, pool }) => ({
      name: node.name,
      address: publicAddressOf(node, facts),
      port: sshPortOf(node, pool, facts),
      user: sshUserOf(node),
      problem: silent.get(node.name) ?? null,
    }));
  const open = opened.filter(({ problem }) => problem === null).map(({ name }) => name);
  if (open.length === 0) throw notReached([...silent.values()][0] ?? 'Ansible reported no reason');
  const digest = createHash('sha256')
    .update(Buffer.from(access.key.split(' ')[1] ?? '', 'base64'))
    .digest('base64');
  const key = `SHA256:${digest.replaceAll('=', '')}`;
  const what = `SSH access to ${open.join(', ')} until ${until.toISOString()}, with the key ${key}`;
  const place = { ...question, clusterName: nameOfCluster(question.cluster) };
  await reportAccess(context, place, `${what}, given to ${question.caller}`);
  return { until: until.toISOString(), nodes: opened };
}

/** Nodes that were not opened, with why. */
async function visit(
  question: SshQuestion,
  context: AnswerContext,
  access: Readonly<Record<string, string>>,
): Promise<ReadonlyMap<string, string>> {
  const { namespace, manifest, cluster, current: target, facts, nodes } = question;
  const work = { install: [], peers: nodes, proxy: [], uninstall: [], loadBalancers: [] };
  const visits = visitedNodes({ target, others: [], work });
  const around = { ...context, document: { namespace, manifest, cluster, generation: 0, runId: '' } };
  const inventory = renderInventory({
    target,
    others: [],
    work,
    facts,
    keyDirectory: await writeSshKeyFiles(
      around,
      visits.map(({ node, pool }) => ({ node, pool, clusterId: target.id })),
    ),
    adminCidrs: context.ports.config.KUBELOOM_RUNNER_CIDRS,
  });
  const vars = { ...inventory.all.vars, kubeloom_access: access };
  const silent = new Map(nodes.map((name) => [name, 'it was not visited']));
  const playbooks = await Playbooks.open(context, 'ssh-access');
  try {
    await playbooks.play({
      playbooks: ['access.yml'],
      inventory: { all: { ...inventory.all, vars } },
      onEvent: (event) => {
        if (event.event === 'ok') silent.delete(event.host);
        if (event.event === 'failed' || event.event === 'unreachable') silent.set(event.host, event.message);
      },
    });
  } finally {
    await playbooks.close();
  }
  return silent;
}

function notReached(why: string): StageFailure {
  return new StageFailure({
    class: 'transient',
    code: 'NodesNotReached',
    message: `None of the nodes could be reached: ${why}`,
    hint: 'Check that the machines run and that their SSH port is open, then retry.',
  });
}
