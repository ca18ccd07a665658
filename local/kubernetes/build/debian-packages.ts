/** The packages that KubeOne installs, made of built programs, as a flat apt repository in a directory: hosts need no server for it. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { cniPluginsVersion, containerdVersion, criToolsVersion, kubernetesVersions } from '../parts.ts';

const run = promisify(execFile);

interface DebianPackage {
  readonly name: string;
  readonly version: string;
  readonly depends?: string;
  /** Path on the node to the file that is copied there. */
  readonly programs: Readonly<Record<string, string>>;
  /** Path on the node to its text. */
  readonly texts?: Readonly<Record<string, string>>;
}

const kubeletUnit = `[Unit]
Description=kubelet
Wants=network-online.target
After=network-online.target containerd.service
[Service]
ExecStart=/usr/bin/kubelet
Restart=always
StartLimitInterval=0
RestartSec=2
[Install]
WantedBy=multi-user.target
`;
/** How kubeadm passes what it has decided to the kubelet. */
const kubeadmDropIn = `[Service]
Environment="KUBECONFIG_FLAGS=--bootstrap-kubeconfig=/etc/kubernetes/bootstrap-kubelet.conf --kubeconfig=/etc/kubernetes/kubelet.conf"
Environment="CONFIG_FLAG=--config=/var/lib/kubelet/config.yaml"
EnvironmentFile=-/var/lib/kubelet/kubeadm-flags.env
EnvironmentFile=-/etc/default/kubelet
ExecStart=
ExecStart=/usr/bin/kubelet $KUBECONFIG_FLAGS $CONFIG_FLAG $KUBELET_KUBEADM_ARGS $KUBELET_EXTRA_ARGS
`;
/** The configuration that containerd reads is made of the one that KubeOne writes (host/containerd-config says why). */
const containerdUnit = `[Unit]
Description=containerd
After=network.target kubeloom-prepare.service
[Service]
ExecStartPre=/usr/local/lib/kubeloom-kubernetes/host/containerd-config
ExecStart=/usr/bin/containerd --config /run/kubeloom/containerd.toml
Type=notify
Delegate=yes
KillMode=process
Restart=always
RestartSec=2
LimitNOFILE=infinity
TasksMax=infinity
OOMScoreAdjust=-999
[Install]
WantedBy=multi-user.target
`;

/** `programs`: directory with one subdirectory for each part. */
function debianPackages(programs: string): readonly DebianPackage[] {
  const of = (part: string, target: string, names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [`${target}/${name}`, join(programs, part, name)]));
  return [
    ...kubernetesVersions.flatMap(({ version }): DebianPackage[] => {
      const program = (name: string) => of(`kubernetes-${version}`, '/usr/bin', [name]);
      return [
        {
          name: 'kubelet',
          version: `${version}-1.1`,
          programs: program('kubelet'),
          depends: 'iptables, kubernetes-cni, iproute2, mount, util-linux',
          texts: { '/usr/lib/systemd/system/kubelet.service': kubeletUnit },
        },
        {
          name: 'kubeadm',
          version: `${version}-1.1`,
          programs: program('kubeadm'),
          depends: 'cri-tools',
          texts: { '/usr/lib/systemd/system/kubelet.service.d/10-kubeadm.conf': kubeadmDropIn },
        },
        { name: 'kubectl', version: `${version}-1.1`, programs: program('kubectl') },
      ];
    }),
    {
      name: 'containerd.io',
      version: `${containerdVersion}-1`,
      depends: 'runc',
      programs: of('containerd', '/usr/bin', ['containerd', 'containerd-shim-runc-v2', 'ctr']),
      texts: { '/usr/lib/systemd/system/containerd.service': containerdUnit },
    },
    {
      name: 'kubernetes-cni',
      version: `${cniPluginsVersion}-1.1`,
      programs: of('cni-plugins', '/opt/cni/bin', ['bridge', 'host-local', 'loopback', 'portmap']),
    },
    { name: 'cri-tools', version: `${criToolsVersion}-1.1`, programs: of('crictl', '/usr/bin', ['crictl']) },
  ];
}

/** Makes the repository in `directory`, whose content is replaced. */
export async function makeAptRepository(programs: string, directory: string, work: string): Promise<void> {
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { recursive: true });
  for (const entry of debianPackages(programs)) await makePackage(entry, directory, join(work, entry.name));
  const stanzas = await Promise.all(
    (await readdir(directory)).sort().map(async (file) => {
      const [{ stdout: control }, content] = await Promise.all([
        run('dpkg-deb', ['--field', join(directory, file)]),
        readFile(join(directory, file)),
      ]);
      const sum = createHash('sha256').update(content).digest('hex');
      return `${control.trimEnd()}\nFilename: ./${file}\nSize: ${content.length}\nSHA256: ${sum}\n`;
    }),
  );
  await writeFile(join(directory, 'Packages'), stanzas.join('\n'));
}

async function makePackage(
  { name, version, depends, programs, texts = {} }: DebianPackage,
  directory: string,
  tree: string,
): Promise<void> {
  await rm(tree, { recursive: true, force: true });
  const control = [
    ...[`Package: ${name}`, `Version: ${version}`, 'Architecture: amd64', 'Maintainer: Kubeloom <root@localhost>'],
    ...(depends === undefined ? [] : [`Depends: ${depends}`]),
    `Description: ${name}, built from Go modules for local hosts`,
  ];
  const files = { ...texts, '/DEBIAN/control': `${control.join('\n')}\n` };
  for (const path of [...Object.keys(programs), ...Object.keys(files)])
    await mkdir(dirname(join(tree, path)), { recursive: true });
  for (const [path, text] of Object.entries(files)) await writeFile(join(tree, path), text);
  for (const [path, source] of Object.entries(programs)) {
    await copyFile(source, join(tree, path));
    await chmod(join(tree, path), 0o755);
  }
  const file = join(directory, `${basename(tree)}_${version}_amd64.deb`);
  // Not compressed: it is read from this very disk.
  await run('dpkg-deb', ['-Znone', '--root-owner-group', '--build', tree, file]);
  await rm(tree, { recursive: true });
}
