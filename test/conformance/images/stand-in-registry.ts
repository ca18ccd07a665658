/**
 * A registry of Terraform's plugins on 127.0.0.1 with one plugin, as the protocol wants it: an archive, its sum, and a signature by a
 * key that is made here. `terraform providers mirror` and `init` check all of it, as with the real one.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

export interface StandInPlugin {
  /** Without the host. */
  readonly source: string;
  readonly version: string;
  /** Text of the program. */
  readonly program: string;
  /** `linux_amd64`. */
  readonly platform: string;
}

export interface StandInRegistry {
  readonly url: string;
  /** Paths that were asked for. */
  readonly asked: readonly string[];
  /** Configuration of Terraform by which the default host is this one. */
  readonly configuration: string;
  close(): Promise<void>;
}

/** Also serves the files of `served`. */
export async function startRegistry(host: string, plugin: StandInPlugin, served: string): Promise<StandInRegistry> {
  const directory = mkdtempSync(join(tmpdir(), 'kubeloom-registry-'));
  const { files, answers } = signed(directory, plugin);
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    asked.push(path);
    const answer = answers(url())[path];
    if (answer !== undefined) return void response.end(JSON.stringify(answer));
    const file = files[basename(path)] ?? join(served, basename(path));
    try {
      response.end(readFileSync(file));
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: url(),
    asked,
    configuration: `host ${JSON.stringify(host)} {\n  services = { "providers.v1" = "${url()}/v1/providers/" }\n}\n`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      execFileSync('gpgconf', ['--homedir', directory, '--kill', 'gpg-agent']);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function signed(directory: string, { source, version, program, platform }: StandInPlugin) {
  const name = `terraform-provider-${basename(source)}`;
  const [os = '', arch = ''] = platform.split('_');
  const archive = `${name}_${version}_${platform}.zip`;
  const sums = `${name}_${version}_SHA256SUMS`;
  const file = (of: string): string => join(directory, 'files', of);
  mkdirSync(join(directory, 'files'));
  chmodSync(directory, 0o700);
  writeFileSync(file(`${name}_v${version}`), program, { mode: 0o755 });
  execFileSync('zip', ['-q', '-j', file(archive), file(`${name}_v${version}`)]);
  const shasum = createHash('sha256')
    .update(readFileSync(file(archive)))
    .digest('hex');
  writeFileSync(file(sums), `${shasum}  ${archive}\n`);
  const gpg = (...args: string[]): string =>
    execFileSync(
      'gpg',
      ['--homedir', directory, '--batch', '--quiet', '--passphrase', '', '--pinentry-mode', 'loopback', ...args],
      {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
  gpg('--quick-generate-key', 'stand-in <stand-in@example.com>', 'rsa2048', 'sign', 'never');
  gpg('--detach-sign', '--output', file(`${sums}.sig`), file(sums));
  const keyId = /^pub:(?:[^:]*:){3}([0-9A-F]{16}):/m.exec(gpg('--list-keys', '--with-colons'))?.[1] ?? '';
  const ascii_armor = gpg('--armor', '--export', keyId);
  const files = Object.fromEntries([archive, sums, `${sums}.sig`].map((one) => [one, file(one)]));
  const at = `/v1/providers/${source}`;
  const answers = (url: string): Readonly<Record<string, unknown>> => ({
    [`${at}/versions`]: { versions: [{ version, protocols: ['6.0'], platforms: [{ os, arch }] }] },
    [`${at}/${version}/download/${os}/${arch}`]: {
      protocols: ['6.0'],
      os,
      arch,
      filename: archive,
      shasum,
      download_url: `${url}/${archive}`,
      shasums_url: `${url}/${sums}`,
      shasums_signature_url: `${url}/${sums}.sig`,
      signing_keys: {
        gpg_public_keys: [{ key_id: keyId, ascii_armor, trust_signature: '', source: '', source_url: null }],
      },
    },
  });
  return { files, answers };
}
