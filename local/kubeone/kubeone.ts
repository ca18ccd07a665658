/** The command line of the stand-in: `kubeone apply|reset|version` as KubeOne has it, on simulated control planes. */
import { parseArgs } from 'node:util';
import { apply } from './apply.ts';
import { Log } from './log.ts';
import { readManifest } from './manifest.ts';
import { reset } from './reset.ts';
import { SshHosts } from './ssh-hosts.ts';

/** Release that the stand-in plays; which Kubernetes minors it builds is in templates/kubeone. */
const release = '1.14.1';

const usage = `kubeone (stand-in of Kubeloom: simulated control plane)

  kubeone apply -m kubeone.yaml -y     build, repair, extend or upgrade the cluster; writes <name>-kubeconfig here
  kubeone reset -m kubeone.yaml -y     remove Kubernetes from all hosts of the manifest
  kubeone version                      as JSON

Exit codes: 0 done · 1 failed, the last line says why · 2 wrong arguments or manifest`;

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
    const version = { major: '1', minor: '14', gitVersion: release, gitTreeState: 'simulated control plane' };
    log.print(JSON.stringify({ kubeone: version }, null, 2));
    return 0;
  }
  if (command !== 'apply' && command !== 'reset') {
    log.error(`unknown command "${command}" for "kubeone"`);
    return 2;
  }
  if (!values['auto-approve']) {
    log.error(`nobody can be asked here: call kubeone ${command} with --auto-approve`);
    return 2;
  }
  const manifest = await readManifest(values.manifest);
  if ('faults' in manifest) {
    for (const fault of manifest.faults) log.error(`${values.manifest}: ${fault}`);
    return 2;
  }
  const hosts = new SshHosts(manifest.directory);
  try {
    if (command === 'apply') await apply(manifest.cluster, hosts, log);
    else await reset(manifest.cluster, hosts, log);
    return 0;
  } catch (error) {
    log.error(error instanceof Error ? error.message : String(error));
    return 1;
  } finally {
    hosts.close();
  }
}
