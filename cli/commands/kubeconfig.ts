/** `kubeloom kubeconfig CLUSTER`: the kubeconfig of a cluster, on standard output, in a file or merged with those of other clusters. */
import { type Command, Option } from 'commander';
import { type ClusterRole, clusterRoles } from '#domain/cluster-roles.ts';
import { ttlSeconds } from '../access/access-request.ts';
import { type CliClient, cliClient } from '../connection/api-client.ts';
import { CliError, exitCodes } from '../exit-codes.ts';
import { type FoundCluster, findCluster } from '../find/find-cluster.ts';
import { manifestOption, namespaceOf } from '../options.ts';
import { note } from '../print/output.ts';
import { duration } from '../print/times.ts';

interface KubeconfigOptions {
  readonly namespace: string;
  readonly manifest?: string;
  readonly output?: string;
  readonly force?: boolean;
  readonly merge?: boolean;
  readonly ttl?: string;
  readonly role?: ClusterRole;
}

export function registerKubeconfig(program: Command): void {
  program
    .command('kubeconfig <cluster>')
    .description('print a kubeconfig of a cluster: a personal one for a limited time, or that of its admin')
    .addOption(namespaceOf('the manifest'))
    .addOption(manifestOption())
    .option('--ttl <time>', 'a user of your own in the cluster, for 10m to 24h (1h with --role alone)')
    .addOption(new Option('--role <role>', 'what that user may do (view with --ttl alone)').choices(clusterRoles))
    .addOption(new Option('-o, --output <file>', 'write it to this new file with mode 0600').conflicts('merge'))
    .option('--force', 'with -o: replace the file; with --merge: replace an entry of that name')
    .option('--merge', 'add it to the file of KUBECONFIG, or to ~/.kube/config, as a context of its own')
    .action(kubeconfig);
}

async function kubeconfig(cluster: string, options: KubeconfigOptions): Promise<void> {
  const { output, force = false, merge, ttl, role } = options;
  if (force && output === undefined && !merge) throw new CliError('--force is for -o and --merge', exitCodes.usage);
  const api = cliClient();
  const found = await findCluster(api, cluster, options);
  const personal = ttl !== undefined || role !== undefined;
  const text = personal ? await issued(api, found, options) : await ofAdmin(api, found);
  if (output === undefined && !merge) {
    process.stdout.write(text);
    return;
  }
  const { mergeKubeconfig, writeKubeconfig } = await import('../access/kubeconfig-file.ts');
  if (output !== undefined) {
    await writeKubeconfig(output, text, force);
    note(`written to ${output}: kubectl --kubeconfig ${output} get nodes`);
  } else {
    const name = personal ? `kubeloom-${found.name}-${role ?? 'view'}` : `kubeloom-${found.name}`;
    // One that ends after some hours is replaced by the next.
    const file = await mergeKubeconfig(text, name, force || personal);
    note(`added to ${file}: kubectl --context ${name} get nodes`);
  }
}

/** Judged here, too: kubectl runs what is in it, and the API may be of a release that hands out what it found. */
async function ofAdmin(api: CliClient, { owner, cluster, name }: FoundCluster): Promise<string> {
  const { kubeconfigText, readKubeconfig } = await import('#documents/kubeconfig.ts');
  const read = readKubeconfig(await api.getKubeconfig({ ...owner, cluster }));
  if ('parts' in read) return kubeconfigText(name, read.parts);
  throw new CliError(
    `the kubeconfig of cluster "${name}" ${read.refusal}: it is neither printed nor written`,
    exitCodes.fault,
  );
}

async function issued(api: CliClient, found: FoundCluster, options: KubeconfigOptions): Promise<string> {
  const { ttl = '1h', role = 'view' } = options;
  const { issueKubeconfig } = await import('../access/issued-kubeconfig.ts');
  const seconds = ttlSeconds(ttl);
  const { owner, cluster, name: title } = found;
  const { text, until } = await issueKubeconfig(api, { ...owner, cluster, title, role, seconds });
  const left = until.getTime() - Date.now();
  const less =
    left < seconds * 1000 - 60_000 ? `; you asked for ${duration(seconds * 1000)}, the cluster gives less` : '';
  note(`role ${role}, until ${until.toISOString()} (${duration(left)} from now)${less}`);
  return text;
}
