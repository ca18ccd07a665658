/** Sets a node up as described on stdin; prints what changed. Files that are right stay, units that run keep running. */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { JsonObject } from './json.ts';
import type { StoreMember } from './object-store.ts';
import { directories, files } from './paths.ts';

/** What every control-plane node has of the cluster's identity; workers only get the first two. */
export interface ClusterKeys {
  readonly ca: string;
  readonly token: string;
  readonly caKey?: string | undefined;
  readonly admin?: { readonly key: string; readonly certificate: string } | undefined;
}

export interface NodeSetup {
  /** undefined on the leader of a new cluster: it makes them. */
  readonly keys: ClusterKeys | undefined;
  readonly controls: readonly StoreMember[];
  readonly kubelet: JsonObject & { readonly name: string };
  readonly apiServer:
    | {
        readonly self: StoreMember;
        readonly kubernetesVersion: string;
        /** `DNS:a,IP:b`, in a fixed order. */
        readonly subjectAltNames: string;
        readonly kubeconfig: { readonly cluster: string; readonly url: string };
      }
    | undefined;
  /** Start the kubelet again in any case: its node is not known to the cluster or does not answer. */
  readonly rejoin: boolean;
}

export function setUp(setup: NodeSetup): readonly string[] {
  const changes: string[] = [];
  const put = (file: string, text: string): boolean => {
    if (existsSync(file) && readFileSync(file, 'utf8') === text) return false;
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text, { mode: 0o600 });
    chmodSync(file, 0o600);
    return true;
  };
  const { keys, apiServer } = setup;
  if (keys !== undefined) writeKeys(keys, put);
  else run(`${directories.code}/pki.sh`, directories.kubernetes, 'ca');
  // Only for the start: later the leader announces the members, and kubelet and server update the file.
  if (!existsSync(files.controls)) put(files.controls, JSON.stringify(setup.controls));

  let serverChanged = false;
  if (apiServer !== undefined) {
    const { self, kubernetesVersion, subjectAltNames, kubeconfig } = apiServer;
    serverChanged =
      run(`${directories.code}/pki.sh`, directories.kubernetes, 'server', self.name, subjectAltNames) !== '';
    run(`${directories.code}/pki.sh`, directories.kubernetes, 'kubeconfig', kubeconfig.cluster, kubeconfig.url);
    serverChanged = put(files.serverConfig, JSON.stringify({ self, kubernetesVersion })) || serverChanged;
    if (converge('kube-apiserver', 'Kubernetes API server (simulated control plane)', serverChanged, put)) {
      changes.push('kube-apiserver');
    }
  }
  put(files.kubeletKubeconfig, '# simulated control plane\n');
  const kubeletChanged = put(files.kubeletConfig, JSON.stringify(setup.kubelet)) || setup.rejoin;
  if (converge('kubelet', 'Kubelet (simulated)', kubeletChanged, put)) changes.push('kubelet');
  return changes;
}

/** The cluster's identity as a further control-plane node needs it. */
export function exportKeys(): ClusterKeys {
  const read = (file: string): string => readFileSync(file, 'utf8');
  return {
    ca: read(files.ca),
    token: read(files.token),
    caKey: read(files.caKey),
    admin: { key: read(files.adminKey), certificate: read(files.adminCertificate) },
  };
}

function writeKeys(keys: ClusterKeys, put: (file: string, text: string) => boolean): void {
  put(files.ca, keys.ca);
  put(files.token, keys.token);
  if (keys.caKey !== undefined) put(files.caKey, keys.caKey);
  if (keys.admin !== undefined) {
    put(files.adminKey, keys.admin.key);
    put(files.adminCertificate, keys.admin.certificate);
  }
}

/** Makes the unit run the current code and files; true when it had to be started. */
function converge(
  unit: string,
  description: string,
  changed: boolean,
  put: (file: string, text: string) => boolean,
): boolean {
  const options = '--max-old-space-size=64 --v8-pool-size=1';
  const text = `[Unit]
Description=${description}
After=network.target wg-quick@wg0.service
[Service]
# Version of the code: ${readFileSync(`${directories.code}/.version`, 'utf8').trim()}
ExecStart=/usr/local/bin/node ${options} ${directories.code}/${unit}.mjs
Restart=always
RestartSec=1
[Install]
WantedBy=multi-user.target
`;
  if (put(`/etc/systemd/system/${unit}.service`, text)) {
    run('systemctl', 'daemon-reload');
    run('systemctl', 'enable', '--quiet', unit);
    run('systemctl', 'restart', unit);
    return true;
  }
  if (!changed && run('systemctl', 'show', '--property=ActiveState', '--value', unit).trim() === 'active') return false;
  run('systemctl', 'restart', unit);
  return true;
}

function run(command: string, ...args: readonly string[]): string {
  return execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}
