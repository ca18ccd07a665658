/** `kubeloom kubeconfig CLUSTER`: the way into a cluster, on standard output. */
import type { Command } from 'commander';
import { apiClient } from '../api-client.ts';
import { CliError, exitCodes } from '../exit-codes.ts';
import { allManifests } from '../find-manifest.ts';
import { listed } from '../layout.ts';

interface KubeconfigOptions {
  readonly namespace: string;
  readonly manifest?: string;
}

export function registerKubeconfig(program: Command): void {
  program
    .command('kubeconfig <cluster>')
    .description('print the kubeconfig of a cluster')
    .option('-n, --namespace <namespace>', 'namespace of the manifest', 'default')
    .option('--manifest <manifest>', 'the manifest it belongs to, where several have a cluster of that name')
    .action(kubeconfig);
}

async function kubeconfig(cluster: string, { namespace, manifest }: KubeconfigOptions): Promise<void> {
  const api = apiClient();
  const manifests = (await allManifests(api, namespace)).filter(
    ({ name }) => manifest === undefined || name === manifest,
  );
  const all = manifests.flatMap((owner) => owner.clusters.map((each) => ({ owner, ...each })));
  const found = all.filter((each) => each.cluster === cluster || each.name === cluster);
  const [only] = found;
  if (!only) {
    const known =
      all.length > 0
        ? `; there is ${listed(
            all.map(({ name }) => name),
            10,
          )}`
        : '';
    throw new CliError(`there is no cluster "${cluster}" in namespace "${namespace}"${known}`, exitCodes.notFound);
  }
  if (found.length > 1) {
    const owners = found.map(({ owner }) => owner.name).join(', ');
    throw new CliError(
      `several manifests have a cluster "${cluster}" (${owners}): say which with --manifest, or write its id (${found.map((each) => each.cluster).join(', ')})`,
      exitCodes.usage,
    );
  }
  process.stdout.write(await api.getKubeconfig(only.owner, only.cluster));
}
