/** The command line of the simulated control plane: `kubeone apply|reset|version` as KubeOne has it. */
import { parseArgs } from 'node:util';
import { kubeoneReleases } from '#domain/kubernetes-versions.ts';
import { Log } from './log.ts';
import { configurationRefusal, KubeOneRefusal, notConfirmed } from './refusal.ts';

/** The release that was called: `kubeone-1.13` is 1.13, plain `kubeone` the newest of the table. */
const calledAs = /-(\d+\.\d+)/.exec(process.env.KUBEONE_CALLED_AS ?? '')?.[1];
const release =
  kubeoneReleases.find((entry) => calledAs !== undefined && entry.release.startsWith(calledAs)) ?? kubeoneReleases[0];

const usage = `kubeone (stand-in of Kubeloom: simulated control plane)

  kubeone apply -m kubeone.yaml -y     build, repair, extend or upgrade the cluster; writes <name>-kubeconfig here
  kubeone reset -m kubeone.yaml -y     remove Kubernetes from all hosts of the manifest
  kubeone version                      as JSON

Exit codes: 0 done · 1 failed or wrong arguments, the last line says why · 10 not confirmed, or a host cannot be reached, or a command on it failed · 15 refused`;

const options = {
  manifest: { type: 'string', short: 'm', default: './kubeone.yaml' },
  'auto-approve': { type: 'boolean', short: 'y', default: false },
  'log-format': { type: 'string', default: 'text' },
  'force-upgrade': { type: 'boolean', default: false },
  verbose: { type: 'boolean', short: 'v', default: false },
  // Accepted as KubeOne has them: an upgrade continues anyway, and there is nothing that a reset would not remove anyway.
  'remove-binaries': { type: 'boolean', default: false },
  'destroy-workers': { type: 'boolean', default: true },
  'remove-volumes': { type: 'boolean', default: true },
  'remove-lb-services': { type: 'boolean', default: true },
  help: { type: 'boolean', short: 'h', default: false },
} as const;
// Not strict: KubeOne takes `--remove-volumes=false`.
const { values, positionals, tokens } = parseArgs({ allowPositionals: true, strict: false, tokens: true, options });
const unknown = tokens.find((token) => token.kind === 'option' && !Object.hasOwn(options, token.name));
const log = new Log(values['log-format'] === 'json');

process.exitCode = await run().catch(failed);

async function run(): Promise<number> {
  const [command] = positionals;
  if (unknown?.kind === 'option') return failed(new Error(`unknown flag: ${unknown.rawName}`));
  if (values.help || command === undefined) {
    log.print(usage);
    return 0;
  }
  if (command === 'version') {
    const version = { gitVersion: release.release, gitTreeState: 'simulated control plane' };
    log.print(JSON.stringify({ kubeone: version }, null, 2));
    return 0;
  }
  if (command !== 'apply' && command !== 'reset') {
    return failed(new Error(`unknown command "${command}" for "kubeone"`));
  }
  // On first use: each stage asks for the version before it applies.
  const { readKubeOneManifest } = await import('./manifest.ts');
  const manifest = await readKubeOneManifest(String(values.manifest), release);
  if ('refusal' in manifest) return failed(configurationRefusal(manifest.refusal.doing, ...manifest.refusal.problems));
  if (!values['auto-approve']) return failed(notConfirmed);
  const { SshHosts } = await import('./ssh-hosts.ts');
  const hosts = new SshHosts(manifest.directory);
  try {
    const { cluster } = manifest;
    const simulated = new (await import('./simulated.ts')).Simulated(cluster, hosts, log);
    if (command === 'apply') await (await import('./apply.ts')).apply(cluster, hosts, simulated, log);
    else await (await import('./reset.ts')).resetNodes(cluster, simulated, log);
    return 0;
  } catch (error) {
    return failed(error);
  } finally {
    hosts.close();
  }
}

/** As KubeOne ends: its last words after `Error: `. */
function failed(error: unknown): number {
  process.stderr.write(`Error: ${error instanceof Error ? error.message : String(error)}\n`);
  return error instanceof KubeOneRefusal ? error.exitCode : 1;
}
