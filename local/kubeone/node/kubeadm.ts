/**
 * What the stand-in for KubeOne calls on a node, under the name of the real tool:
 *   kubeadm probe            what is here, as JSON
 *   kubeadm setup            sets the node up to the JSON on stdin; prints what changed
 *   kubeadm export-keys      identity of the cluster, for further control-plane nodes
 *   kubeadm nodes            the Node objects, asked of the API server on this node
 *   kubeadm reset -f         removes all of it
 */
import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { directories, files } from './paths.ts';
import { exportKeys, setUp } from './setup.ts';

switch (process.argv[2]) {
  case 'probe':
    print(probe());
    break;
  case 'setup':
    print(setUp(JSON.parse(readFileSync(0, 'utf8'))));
    break;
  case 'export-keys':
    print(exportKeys());
    break;
  case 'nodes':
    print(await getNodes());
    break;
  case 'reset':
    reset();
    break;
  default:
    process.stderr.write('kubeadm (simulated): probe, setup, export-keys, nodes, reset\n');
    process.exitCode = 2;
}

/** Version and cluster of this node; nulls where nothing is. */
function probe(): object {
  const kubelet = existsSync(files.kubeletConfig) ? JSON.parse(readFileSync(files.kubeletConfig, 'utf8')) : {};
  return {
    kubernetesVersion: kubelet.kubernetesVersion ?? null,
    authority: existsSync(files.ca) ? new X509Certificate(readFileSync(files.ca)).fingerprint256 : null,
    holdsAuthority: existsSync(files.caKey),
  };
}

async function getNodes(): Promise<unknown> {
  // Loading HTTPS takes as long as all the rest.
  const { askJson } = await import('./ask.ts');
  const [ca, key, cert] = [files.ca, files.adminKey, files.adminCertificate].map((file) => readFileSync(file));
  return askJson('https://127.0.0.1:6443/api/v1/nodes', 5000, { ca, key, cert });
}

function reset(): void {
  for (const unit of ['kubelet', 'kube-apiserver']) {
    const file = `/etc/systemd/system/${unit}.service`;
    if (!existsSync(file)) continue;
    execFileSync('systemctl', ['disable', '--now', '--quiet', unit], { stdio: 'inherit' });
    rmSync(file);
  }
  execFileSync('systemctl', ['daemon-reload'], { stdio: 'inherit' });
  for (const directory of Object.values(directories)) rmSync(directory, { recursive: true, force: true });
  rmSync('/usr/local/bin/kubeadm', { force: true });
}

function print(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}
