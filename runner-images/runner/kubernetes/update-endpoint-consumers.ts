/** After the API endpoint has moved: updates what still names the old one inside the cluster. */
import { isDeepStrictEqual } from 'node:util';
import { parse, stringify } from 'yaml';
import { z } from 'zod';
import { closedText } from '#domain/observed/closed-texts.ts';
import type { KubeconfigParts } from '#domain/observed/kubeconfig.ts';
import { apiAddress, apiNames } from '#rendering/kubeone-manifest.ts';
import type { StageContext } from '../stage-context.ts';
import { StageFailure } from '../stage-failure.ts';
import { readToolJson, readToolValue, unreadableAnswer } from '../tool-answer.ts';
import type { Kubectl } from './kubectl.ts';
import { isAbsent } from './kubectl-failure.ts';

const ConfigMap = z.object({
  data: z.record(z.string(), z.string()).default({}),
  metadata: z.object({ resourceVersion: closedText(100, /^\w+$/) }),
});
const Kubeconfig = z.looseObject({
  clusters: z
    .array(
      z.looseObject({
        cluster: z.looseObject({ server: z.string() }),
      }),
    )
    .min(1),
});
const ClusterConfiguration = z.looseObject({
  apiServer: z.looseObject({ certSANs: z.array(z.string()).optional() }).optional(),
});

/**
 * Writes it into cluster-info, kubeadm-config and the configuration of kube-proxy, and restarts kube-proxy and Cilium. Those that a
 * cluster does not have are skipped.
 */
export async function updateEndpointConsumers(
  context: StageContext,
  kubectl: Kubectl,
  { server, authority }: KubeconfigParts,
): Promise<void> {
  const { target, facts, log, emit } = context;
  if (target === null) return;
  const { host, port } = apiAddress(target, facts.current);
  const admin = { server, 'certificate-authority-data': authority };
  // What nodes that join later read first.
  await change(context, kubectl, { namespace: 'kube-public', name: 'cluster-info', key: 'kubeconfig' }, (text) => {
    const known = readYaml(Kubeconfig, text);
    const clusters = known.clusters.map((entry) => ({ ...entry, cluster: { ...entry.cluster, ...admin } }));
    return stringify({ ...known, clusters });
  });
  await change(context, kubectl, kubeadm, (text) =>
    withNames(text, apiNames(target, facts.current), { controlPlaneEndpoint: `${host}:${port}` }),
  );
  const kubeProxy = { namespace: 'kube-system', name: 'kube-proxy', key: 'kubeconfig.conf' };
  await change(context, kubectl, kubeProxy, (text) => {
    const known = readYaml(Kubeconfig, text);
    const server = `https://${host}:${port}`;
    return stringify({
      ...known,
      clusters: known.clusters.map((one) => ({ ...one, cluster: { ...one.cluster, server } })),
    });
  });
  // Their pods read the endpoint only when they start. Nodes work without a restart, so a failure is only a warning.
  for (const name of ['kube-proxy', 'cilium']) {
    const restart = ['rollout', 'restart', 'daemonset', name, '-n', 'kube-system', '--request-timeout=30s'];
    const { code, stderr } = await kubectl.try(restart);
    if (code === 0) continue;
    if (isAbsent(stderr)) log.write('runner', `there is no DaemonSet ${name} to restart`);
    else {
      const message = `${name} was not restarted after the API endpoint moved: ${stderr.trim()}`;
      emit({ kind: 'DaemonSetNotRestarted', message });
    }
  }
}

/** Control nodes came or went: kubeadm learns the names for which it makes certificates. */
export async function updateNamesOfApi(context: StageContext, kubectl: Kubectl): Promise<void> {
  const { target, facts } = context;
  if (target === null) return;
  await change(context, kubectl, kubeadm, (text) => withNames(text, apiNames(target, facts.current)));
}

const kubeadm = { namespace: 'kube-system', name: 'kubeadm-config', key: 'ClusterConfiguration' };

function withNames(text: string, names: readonly string[], more: object = {}): string {
  const known = readYaml(ClusterConfiguration, text);
  const after = { ...known, apiServer: { ...known.apiServer, certSANs: [...names] }, ...more };
  return isDeepStrictEqual(after, known) ? text : stringify(after);
}

/** A text of the cluster, in which anyone with the rights may have written. */
function readYaml<Schema extends z.ZodType>(schema: Schema, text: string): z.infer<Schema> {
  const about = { tool: 'kubectl', what: 'a text of kubeadm or kube-proxy in a ConfigMap' };
  let value: unknown;
  try {
    value = parse(text);
  } catch {
    throw unreadableAnswer(about, 'it is not YAML');
  }
  return readToolValue(schema, value, about);
}

interface Place {
  readonly namespace: string;
  readonly name: string;
  readonly key: string;
}

/** Changes one text of a ConfigMap; retries once when another client has written it meanwhile. */
async function change(
  { log }: StageContext,
  kubectl: Kubectl,
  { namespace, name, key }: Place,
  edit: (text: string) => string,
): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const place = ['-n', namespace, '--request-timeout=30s'];
    const found = await kubectl.try(['get', 'configmap', name, ...place, '-o', 'json'], { onLine: () => undefined });
    if (found.code !== 0 && isAbsent(found.stderr)) {
      log.write('runner', `there is no ConfigMap ${namespace}/${name} to change`);
      return;
    }
    if (found.code !== 0) await kubectl.run(['get', 'configmap', name, ...place]);
    const about = { tool: 'kubectl', what: `the ConfigMap ${namespace}/${name}` };
    const { data, metadata } = readToolJson(ConfigMap, found.stdout, about);
    const before = data[key];
    if (before === undefined) return;
    const after = edit(before);
    if (after === before) return;
    const patch = JSON.stringify({ metadata, data: { [key]: after } });
    try {
      await kubectl.run(['patch', 'configmap', name, ...place, '--type=merge', '-p', patch]);
      return;
    } catch (error) {
      if (!(error instanceof StageFailure && error.error.code === 'NodeChanged') || tries >= 3) throw error;
    }
  }
}
