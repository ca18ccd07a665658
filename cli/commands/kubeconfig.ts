/** `kubeloom kubeconfig CLUSTER`: the kubeconfig of a cluster, on standard output, in a file or merged with those of other clusters. */
import { type Command, Option } from 'commander';
import { apiClient } from '../api-client.ts';
import { CliError, exitCodes } from '../exit-codes.ts';
import { allManifests } from '../find-manifest.ts';
import { listed } from '../layout.ts';
import { note } from '../output.ts';

interface KubeconfigOptions {
  readonly namespace: string;
  readonly manifest?: string;
  readonly output?: string;
  readonly force?: boolean;
  readonly merge?: boolean;
}

export function registerKubeconfig(program: Command): void {
  program
    .command('kubeconfig <cluster>')
    .description('print the kubeconfig of a cluster')
    .option('-n, --namespace <namespace>', 'namespace of the manifest', 'default')
    .option('--manifest <manifest>', 'the manifest it belongs to, where several have a cluster of that name')
    .addOption(
      new Option('-o, --output <file>', 'write it to this new file, which only you may read').conflicts('merge'),
    )
    .option('--force', 'with -o: replace the file; with --merge: replace an entry of that name')
    .option('--merge', 'add it to the file of KUBECONFIG, or to ~/.kube/config, as a context of its own')
    .action(kubeconfig);
}

async function kubeconfig(cluster: string, options: KubeconfigOptions): Promise<void> {
  const { namespace, manifest, output, force = false, merge } = options;
  if (force && output === undefined && !merge) throw new CliError('--force is for -o and --merge', exitCodes.usage);
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
  const text = await api.getKubeconfig({ ...only.owner, cluster: only.cluster });
  if (output === undefined && !merge) {
    process.stdout.write(text);
    return;
  }
  const { mergeKubeconfig, writeKubeconfig } = await import('../kubeconfig-file.ts');
  if (output !== undefined) {
    await writeKubeconfig(output, text, force);
    note(`written to ${output}: kubectl --kubeconfig ${output} get nodes`);
  } else {
    const name = `kubeloom-${only.name}`;
    const file = await mergeKubeconfig(text, name, force);
    note(`added to ${file}: kubectl --context ${name} get nodes`);
  }
}
