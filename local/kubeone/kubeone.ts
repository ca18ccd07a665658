/** The command line of the stand-in: `kubeone apply|reset|version` as KubeOne has it, with kubeadm or with simulated control planes. */
import { parseArgs } from 'node:util';
import { kubeoneReleases } from '#domain/kubernetes-versions.ts';
import { kubernetesKind } from '../kubernetes/available.ts';
import { apply } from './apply.ts';
import { Kubeadm } from './kubeadm/kubeadm.ts';
import { Log } from './log.ts';
import { readKubeOneManifest } from './manifest.ts';
import { resetNodes } from './reset.ts';
import { Simulated } from './simulated.ts';
import { SshHosts } from './ssh-hosts.ts';

/** The release that was called: `kubeone-1.13` is 1.13, plain `kubeone` the newest of the table. */
const calledAs = /-(\d+\.\d+)/.exec(process.env.KUBEONE_CALLED_AS ?? '')?.[1];
const release =
  kubeoneReleases.find((entry) => calledAs !== undefined && entry.release.startsWith(calledAs)) ?? kubeoneReleases[0];

/** KubeOne's exit code for a manifest that it refuses. */
const refusedManifest = 15;

/** KUBELOOM_KUBERNETES: `real` or `simulated`. */
const kind = kubernetesKind(process.env.KUBELOOM_KUBERNETES || 'simulated');

const usage = `kubeone (stand-in of Kubeloom: ${kind === 'real' ? 'real Kubernetes by kubeadm' : 'simulated control plane'})

  kubeone apply -m kubeone.yaml -y     build, repair, extend or upgrade the cluster; writes <name>-kubeconfig here
  kubeone reset -m kubeone.yaml -y     remove Kubernetes from all hosts of the manifest
  kubeone version                      as JSON

Exit codes: 0 done · 1 failed, the last line says why · 2 wrong arguments · ${refusedManifest} KubeOne refuses the manifest`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    manifest: { type: 'string', short: 'm', default: './kubeone.yaml' },
    'auto-approve': { type: 'boolean', short: 'y', default: false },
    'log-format': { type: 'string', default: 'text' },
    verbose: { type: 'boolean', short: 'v', default: false },
    // Accepted as KubeOne has them; there is nothing to remove that a reset would not remove anyway.
    'remove-binaries': { type: 'boolean', default: false },
    'destroy-workers': { type: 'boolean', default: true },
    'remove-volumes': { type: 'boolean', default: true },
    'remove-lb-services': { type: 'boolean', default: true },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
const log = new Log(values['log-format'] === 'json');

process.exitCode = await run();

async function run(): Promise<number> {
  const [command] = positionals;
  if (values.help || command === undefined) {
    log.print(usage);
    return command === undefined && !values.help ? 2 : 0;
  }
  if (command === 'version') {
    const version = {
      gitVersion: release.release,
      gitTreeState: kind === 'real' ? 'stand-in' : 'simulated control plane',
    };
    log.print(JSON.stringify({ kubeone: version }, null, 2));
    return 0;
  }
  if (command !== 'apply' && command !== 'reset') {
    log.error(`unknown command "${command}" for "kubeone"`);
    return 2;
  }
  if (!values['auto-approve']) {
    log.error(`there is no terminal to confirm on: call kubeone ${command} with --auto-approve`);
    return 2;
  }
  const manifest = await readKubeOneManifest(values.manifest, release);
  if ('refusal' in manifest) {
    process.stderr.write(`Error: ${[manifest.refusal.doing, ...manifest.refusal.problems].join('\n')}\n`);
    return refusedManifest;
  }
  const hosts = new SshHosts(manifest.directory);
  try {
    const installer = new (kind === 'real' ? Kubeadm : Simulated)(manifest.cluster, hosts, log);
    if (command === 'apply') await apply(manifest.cluster, hosts, installer, log);
    else await resetNodes(manifest.cluster, installer, log);
    return 0;
  } catch (error) {
    log.error(error instanceof Error ? error.message : String(error));
    return 1;
  } finally {
    hosts.close();
  }
}
