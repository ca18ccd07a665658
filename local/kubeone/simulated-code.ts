/** The code that runs on nodes (`node/`), as one archive with a version out of its content. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HostConfig } from './manifest.ts';
import { directories } from './node/paths.ts';
import { quoted, type SshHosts } from './ssh-hosts.ts';

/** What was found on a host. */
export interface Probe {
  readonly host: HostConfig;
  /** null: Kubernetes is not set up here. */
  readonly kubernetesVersion: string | null;
  /** Fingerprint of the cluster's certificate authority. */
  readonly authority: string | null;
  /** Whether further control-plane nodes can join through it. */
  readonly holdsAuthority: boolean;
}

const source = join(import.meta.dirname, 'node');

/** Copies the current code to a host and reads the host's state. Throws `SshFailure` or `KubeOneRefusal`. */
export async function probe(hosts: SshHosts, host: HostConfig): Promise<Probe> {
  const version = versionOf(source);
  const look = [
    'test -x /usr/local/bin/node || { echo "the stand-in for KubeOne needs /usr/local/bin/node on the host" >&2; exit 1; }',
    'command -v systemctl >/dev/null || { echo "the host does not run systemd" >&2; exit 1; }',
    `if [ "$(cat ${directories.code}/.version 2>/dev/null)" = ${version} ]; then kubeadm probe; else echo null; fi`,
  ].join('\n');
  const found = (await hosts.run(host, look)).toString('utf8');
  const reported = found.trim() === 'null' ? await install(hosts, host, version) : found;
  return { host, ...JSON.parse(reported) };
}

let archive: Buffer | undefined;

async function install(hosts: SshHosts, host: HostConfig, version: string): Promise<string> {
  archive ??= archiveOf(source);
  const wrapper = `#!/bin/sh\nexec /usr/local/bin/node ${directories.code}/kubeadm.mjs "$@"\n`;
  const command = [
    'set -e',
    `mkdir -p ${directories.code}`,
    `tar -x --no-same-owner -C ${directories.code}`,
    `printf %s ${quoted(wrapper)} >/usr/local/bin/kubeadm`,
    'chmod 755 /usr/local/bin/kubeadm',
    // Written last: an interrupted copy is repeated.
    `echo ${version} >${directories.code}/.version`,
    'kubeadm probe',
  ].join('\n');
  return (await hosts.run(host, command, archive)).toString('utf8');
}

/** Without types: to strip them takes most of the time of a short command, and each host has many of those. */
function archiveOf(directory: string): Buffer {
  const stripped = mkdtempSync(join(tmpdir(), 'kubeloom-node-'));
  try {
    for (const name of readdirSync(directory)) {
      if (!name.endsWith('.ts')) cpSync(join(directory, name), join(stripped, name));
      else {
        const code = stripTypeScriptTypes(readFileSync(join(directory, name), 'utf8'));
        writeFileSync(join(stripped, name.replace(/ts$/, 'mjs')), code.replace(/'(\.\/[\w-]+)\.ts'/g, "'$1.mjs'"));
      }
    }
    return execFileSync('tar', ['-C', stripped, '-c', '.'], { maxBuffer: 10_000_000 });
  } finally {
    rmSync(stripped, { recursive: true, force: true });
  }
}

function versionOf(directory: string): string {
  const hash = createHash('sha256');
  for (const name of readdirSync(directory).sort()) hash.update(name).update(readFileSync(join(directory, name)));
  return hash.digest('hex').slice(0, 16);
}
