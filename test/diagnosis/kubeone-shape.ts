/**
 * Output of KubeOne 1.14.1 with the words of a machine in it, in its real shape: its log, `Error: ` with the causes, the script that failed,
 * `stderr: ` and the trace. The scripts are those that it printed (test/runner/kubeone-outputs), shortened ones for RHEL and Flatcar.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const address = '203.0.113.5';
const recorded = (name: string) => readFileSync(join(import.meta.dirname, '../runner/kubeone-outputs', name), 'utf8');
/** The script of a recorded failure. */
const scriptOf = (name: string) =>
  /Process exited with status \d+\n([\s\S]+?)\nstderr: /.exec(recorded(name))?.[1] ?? '';
const excerpt = (name: string) => readFileSync(join(import.meta.dirname, 'scripts', name), 'utf8');
const short = (command: string) =>
  `set -xeuo pipefail\nexport "PATH=$PATH:/sbin:/usr/local/bin:/opt/bin"\n${command}\n`;

interface Phase {
  readonly task: string;
  readonly step: string;
  readonly status: number;
  readonly script: string;
  readonly command: string;
}

const install = { task: 'installing prerequisites', step: 'installing kubeadm and kubectl and kubelet', status: 100 };
const phases: Readonly<Record<string, Phase>> = {
  'install-debian': {
    ...install,
    script: scriptOf('version-missing.txt'),
    command: "sudo DEBIAN_FRONTEND=noninteractive apt-get install -y 'kubelet=1.33.2-*' 'kubeadm=1.33.2-*'",
  },
  'install-debian-force': {
    ...install,
    script: scriptOf('version-missing.txt').replaceAll(
      '--no-install-recommends',
      '--allow-downgrades --no-install-recommends',
    ),
    command: "sudo DEBIAN_FRONTEND=noninteractive apt-get install --allow-downgrades -y 'kubelet=1.33.2-*'",
  },
  'install-rhel': {
    ...install,
    status: 1,
    script: excerpt('rhel.txt'),
    command: 'sudo yum install -y kubelet-1.33.2 kubeadm-1.33.2',
  },
  'install-rhel-force': {
    ...install,
    status: 1,
    script: excerpt('rhel.txt'),
    command: 'sudo yum downgrade -y kubelet-1.33.2',
  },
  'install-flatcar': {
    ...install,
    status: 1,
    script: excerpt('flatcar.txt'),
    command: 'curl --location --output /tmp/kubelet https://dl.k8s.io/release/v1.33.2/bin/linux/amd64/kubelet',
  },
  init: {
    task: 'initializing kubernetes on leader',
    step: 'initializing kubeadm cluster',
    status: 1,
    script: scriptOf('port-in-use.txt'),
    command: 'sudo kubeadm --v=6 init --config=./kubeone/cfg/control_plane_0.yaml',
  },
  join: {
    task: 'joining control plane node',
    step: `joining control plane node "${address}"`,
    status: 1,
    script: short(
      '[[ -f /etc/kubernetes/admin.conf ]] && exit 0\n\nsudo kubeadm --v=6 join \\\n\t--config=./kubeone/cfg/control_plane_1.yaml',
    ),
    command: 'sudo kubeadm --v=6 join --config=./kubeone/cfg/control_plane_1.yaml',
  },
  worker: {
    task: 'joining static workers',
    step: `joining static worker ${address}`,
    status: 1,
    script: short(
      '[[ -f /etc/kubernetes/kubelet.conf ]] && exit 0\n\nsudo kubeadm --v=6 join \\\n\t--config=./kubeone/cfg/worker_0.yaml',
    ),
    command: 'sudo kubeadm --v=6 join --config=./kubeone/cfg/worker_0.yaml',
  },
  'upgrade-leader': {
    task: 'upgrading leader control plane',
    step: 'running kubeadm upgrade on control plane leader',
    status: 1,
    script: short('sudo kubeadm upgrade apply --yes v1.34.4'),
    command: 'sudo kubeadm upgrade apply --yes v1.34.4',
  },
  'upgrade-follower': {
    task: 'upgrading follower control plane',
    step: 'running kubeadm upgrade on control plane follower',
    status: 1,
    script: short('sudo kubeadm upgrade node --certificate-renewal=true'),
    command: 'sudo kubeadm upgrade node --certificate-renewal=true',
  },
  'upgrade-worker': {
    task: 'upgrading static workers',
    step: 'running kubeadm upgrade on static worker',
    status: 1,
    script: short('sudo kubeadm upgrade node'),
    command: 'sudo kubeadm upgrade node',
  },
  reset: {
    task: 'resetting nodes',
    step: 'resetting node',
    status: 1,
    script: short(
      'sudo kubeadm --v=6 reset --force || true\nsudo rm -rf /etc/kubernetes/admission\nsudo rm -rf /var/lib/etcd/',
    ),
    command: 'sudo kubeadm --v=6 reset --force',
  },
};

/** Everything that KubeOne prints when `words` were the last on a machine; for `dial` and `own` they are its own. */
export function asKubeOnePrints(phase: string, words: string): string {
  return `${log(words)}Error: ${lastWordsOf(phase, words)}\n`;
}

/** The same of several machines at once, as Go's errors are joined. */
export function asKubeOnePrintsOfSeveral(
  phase: string,
  several: readonly (readonly [address: string, words: string])[],
): string {
  const { task } = phaseOf(phase);
  const parts = several.map(([where, words]) => onMachine(phase, words, where));
  return `${log('')}Error: runtime: ${task}\n[${parts.join(', ')}]\n`;
}

function lastWordsOf(phase: string, words: string): string {
  if (phase === 'own') return words;
  if (phase === 'dial')
    return `runtime: detecting hostname\nruntime: running task on "${address}"\nssh: dialing\n${words}`;
  return `runtime: ${phaseOf(phase).task}\n${onMachine(phase, words, address)}`;
}

function onMachine(phase: string, words: string, where: string): string {
  const { step, status, script, command } = phaseOf(phase);
  const head = `runtime: running task on "${where}"\nssh: ${step}\nssh: exec\nssh: popen\nProcess exited with status ${status}`;
  const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/sbin:/usr/local/bin:/opt/bin';
  const noise = 'Failed to disable unit: Unit file ufw.service does not exist.\n+ true';
  const go =
    '\nk8s.io/kubernetes/cmd/kubeadm/app/cmd/phases/workflow.(*Runner).Run.func1\n\tk8s.io/kubernetes@v1.34.4/cmd/kubeadm/app/cmd/phases/workflow/runner.go:262\nmain.main\n\tk8s.io/kubernetes@v1.34.4/cmd/kubeadm/kubeadm.go:25\nruntime.goexit\n\truntime/asm_amd64.s:1771';
  const stack = words.includes('error execution phase') ? go : '';
  const kubeadm = command.includes('--v=6')
    ? '\nI1127 06:39:52.352694    2005 initconfiguration.go:260] loading configuration from "x"\nI1127 06:39:52.4    2005 round_trippers.go:632] "Response" verb="GET" url="https://10.99.16.1:6443/api?timeout=10s" status="404 Not Found"\n\t[WARNING SystemVerification]: cgroups v1 support is in maintenance mode'
    : '';
  return `${head}\n${script}\nstderr: + export PATH=${path}\n+ PATH=${path}\n+ sudo systemctl disable --now ufw\n${noise}\n+ ${command}${kubeadm}\n${words}${stack}`;
}

function phaseOf(name: string): Phase {
  const phase = phases[name];
  if (phase === undefined) throw new Error(`there is no phase ${name}`);
  return phase;
}

/** Each attempt repeats everything in one line. */
function log(words: string): string {
  return [
    'time="10:00:00 UTC" level=info msg="Installing prerequisites..."',
    `time="10:00:01 UTC" level=error msg=${JSON.stringify(`ssh: exec\n${words}`)} node=${address}`,
    'time="10:00:11 UTC" level=warning msg="Retrying task..."',
    '',
  ].join('\n');
}
