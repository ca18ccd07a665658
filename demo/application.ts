/** What the demo proves about real Kubernetes with an application; each proof throws when it does not hold. */
import { execFile } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface Pod {
  readonly name: string;
  readonly node: string;
  readonly address: string;
}

/**
 * Applies `file` with as many replicas as `nodes`, and waits until each is ready; pods that drains have brought together on one node
 * are spread again. Throws with kubectl's words.
 */
export async function runApplication(kubeconfig: string, file: string, nodes: number): Promise<readonly Pod[]> {
  const kubectl = kubectlWith(kubeconfig);
  await kubectl('apply', '-f', file);
  await kubectl('scale', 'deployment', 'hello', `--replicas=${nodes}`);
  await kubectl('rollout', 'status', 'deployment', 'hello', '--timeout=180s');
  const pods = await podsOf(kubeconfig);
  if (nodes === 1 || new Set(pods.map(({ node }) => node)).size > 1) return pods;
  await kubectl('rollout', 'restart', 'deployment', 'hello');
  await kubectl('rollout', 'status', 'deployment', 'hello', '--timeout=180s');
  return podsOf(kubeconfig);
}

/** Its pods that stay. */
async function podsOf(kubeconfig: string): Promise<readonly Pod[]> {
  const list = JSON.parse(await kubectlWith(kubeconfig)('get', 'pods', '-l', 'app=hello', '-o', 'json')) as {
    items: readonly {
      metadata: { name: string; deletionTimestamp?: string };
      spec: { nodeName: string };
      status: { podIP: string };
    }[];
  };
  return list.items
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map(({ metadata, spec, status }) => ({ name: metadata.name, node: spec.nodeName, address: status.podIP }));
}

/** Every pod reaches every other by its address, and the service by its name. Returns how many connections were made. */
export async function proveNetwork(kubeconfig: string, pods: readonly Pod[]): Promise<number> {
  const kubectl = kubectlWith(kubeconfig);
  const targets = [...pods.map(({ address }) => `${address}:8080`), 'hello.default.svc.cluster.local:80'];
  await Promise.all(
    pods.flatMap(({ name }) =>
      targets.map((target) =>
        eventually(() => kubectl('exec', name, '--', '/agnhost', 'connect', '--timeout=5s', target)),
      ),
    ),
  );
  return pods.length * targets.length;
}

/** A pod is ready a moment before every node's kube-proxy knows it. */
async function eventually<Answer>(ask: () => Promise<Answer>, tries = 10): Promise<Answer> {
  try {
    return await ask();
  } catch (cause) {
    if (tries <= 1) throw cause;
    await pause(500);
    return eventually(ask, tries - 1);
  }
}

const kubectlWith =
  (kubeconfig: string) =>
  async (...args: readonly string[]): Promise<string> =>
    (await run('kubectl', ['--kubeconfig', kubeconfig, ...args], { timeout: 200_000, maxBuffer: 16 << 20 })).stdout;
