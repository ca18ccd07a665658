/** The scripts that fetch programs for the images, with a stand-in for the network: what is not what it should be is refused. */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const folder = fileURLToPath(new URL('../../runner-images/', import.meta.url));
const sum = (bytes: string | Buffer): string => createHash('sha256').update(bytes).digest('hex');
let place: string;

beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'kubeloom-image-'));
  for (const name of ['bin', 'served', 'work']) mkdirSync(join(place, name));
  // Serves `--remote-name URL` by the last part of the URL, and fails like curl for what is not there.
  program('curl', 'for word in "$@"; do case $word in https://*) cp "$SERVED/${word##*/}" . || exit 22;; esac; done');
});
afterEach(() => rmSync(place, { recursive: true, force: true }));

function program(name: string, text: string): void {
  writeFileSync(join(place, 'bin', name), `#!/bin/sh\n${text}\n`);
  chmodSync(join(place, 'bin', name), 0o755);
}

const served = (name: string): string => join(place, 'served', name);

function run(script: string, args: readonly string[], environment: Readonly<Record<string, string>>) {
  const PATH = `${join(place, 'bin')}:${process.env.PATH}`;
  const env = { ...process.env, PATH, SERVED: join(place, 'served'), TARGETARCH: 'arm64', ...environment };
  return spawnSync(resolve(folder, script), args, { cwd: join(place, 'work'), env, encoding: 'utf8' });
}

function archive(file: string, entry: string, text: string): Buffer {
  const code = 'import sys, zipfile; zipfile.ZipFile(sys.argv[1], "w").writestr(sys.argv[2], sys.argv[3])';
  execFileSync('python3', ['-c', code, file, entry, text]);
  return readFileSync(file);
}

describe('kubectl', () => {
  const environment = {
    KUBECTL_VERSION: '1.2.3',
    KUBECTL_SHA256_ARM64: sum('kubectl'),
    KUBECTL_SHA256_AMD64: sum('other'),
  };

  it('kubectl is installed when its checksum is that of the Dockerfile, and refused otherwise', () => {
    const out = join(place, 'out');
    writeFileSync(served('kubectl'), 'kubectl');
    expect(run('kubectl/fetch-kubectl.sh', [out], environment).status).toBe(0);
    expect(statSync(join(out, 'kubectl')).mode & 0o111).toBe(0o111);
    writeFileSync(served('kubectl'), 'something else');
    const again = join(place, 'again');
    expect(run('kubectl/fetch-kubectl.sh', [again], environment).status).not.toBe(0);
    expect(existsSync(again)).toBe(false);
  });

  it('kubectl has no build for a processor without a checksum', () => {
    const { status, stderr } = run('kubectl/fetch-kubectl.sh', [join(place, 'out')], {
      ...environment,
      TARGETARCH: 'riscv64',
    });
    expect([status, stderr]).toEqual([1, expect.stringContaining('no checksum of kubectl for riscv64')]);
  });
});

describe('KubeOne', () => {
  const environment = { KUBEONE_RELEASES: '1.2.3' };
  const name = 'kubeone_1.2.3_linux_arm64.zip';
  const sums = (text: string): void => writeFileSync(served('kubeone_1.2.3_checksums.txt'), text);

  it('KubeOne is installed when its checksum is in the list of its release', () => {
    sums(`${sum(archive(served(name), 'kubeone', '#!/bin/sh'))}  ${name}\n`);
    const out = join(place, 'out');
    expect(run('kubeone/fetch-releases.sh', [out], environment)).toMatchObject({ status: 0 });
    expect(statSync(join(out, 'kubeone-1.2.3')).mode & 0o111).toBe(0o111);
  });

  it.each([
    ['another sum', `${sum('another')}  ${name}\n`],
    ['no sum of it', `${sum('another')}  kubeone_1.2.3_linux_amd64.zip\n`],
    ['nothing at all', ''],
  ])('KubeOne is refused when the list has %s', (_, text) => {
    archive(served(name), 'kubeone', '#!/bin/sh');
    sums(text);
    const out = join(place, 'out');
    expect(run('kubeone/fetch-releases.sh', [out], environment).status).not.toBe(0);
    expect(existsSync(join(out, 'kubeone-1.2.3'))).toBe(false);
  });
});

describe('the committed sums of KubeOne', () => {
  const name = 'kubeone_1.2.3_linux_arm64.zip';

  /** A copy of the script with a list next to it, of the sum of its archive; the release has a list that names whatever it serves. */
  function fetchWith(list: (right: string) => string) {
    const script = join(place, 'fetch-releases.sh');
    copyFileSync(join(folder, 'kubeone/fetch-releases.sh'), script);
    // It has the time in it: another one has another sum.
    const right = sum(archive(served(name), 'kubeone', '#!/bin/sh'));
    writeFileSync(join(place, 'SHA256SUMS'), list(right));
    writeFileSync(served('kubeone_1.2.3_checksums.txt'), `${right}  ${name}\n`);
    return run(script, [join(place, 'out')], { KUBEONE_RELEASES: '1.2.3' });
  }

  it('KubeOne is refused when it is not the archive of the committed sum, although its release says so', () => {
    const { status } = fetchWith(() => `${sum('the one of then')}  ${name}\n`);
    expect([status, existsSync(join(place, 'out/kubeone-1.2.3'))]).toEqual([expect.any(Number), false]);
    expect(status).not.toBe(0);
    expect(fetchWith((right) => `${right}  ${name}\n`).status).toBe(0);
  });

  it('KubeOne is refused when only other archives of its release have a committed sum', () => {
    const { status, stderr } = fetchWith(() => `${sum('x')}  kubeone_1.2.3_linux_amd64.zip\n`);
    expect([status, stderr]).toEqual([1, expect.stringContaining(`and not ${name}`)]);
  });
});

describe('plugins of Terraform', () => {
  const plugin = 'plugins.example.com/example/cloud/terraform-provider-cloud_1.2.3_linux_arm64.zip';
  const unpack = (sums: unknown) => {
    const out = join(place, 'out');
    mkdirSync(join(out, 'plugins.example.com/example/cloud'), { recursive: true });
    const bytes = archive(join(out, plugin), 'terraform-provider-cloud_v1.2.3', '#!/bin/sh');
    const file = join(place, 'sums.json');
    writeFileSync(file, JSON.stringify(typeof sums === 'function' ? sums(sum(bytes)) : sums));
    const program = [join(folder, 'terraform/unpack-plugins.mjs'), file, out];
    return { ...spawnSync(process.execPath, program, { encoding: 'utf8' }), out };
  };
  const row = (value: string, version = '1.2.3') => ({ 'example/cloud': { version, sha256: { linux_arm64: value } } });

  it('a plugin whose archive has the committed sum is unpacked, and its hash is kept for the runner', () => {
    const { status, out } = unpack(row);
    expect(status).toBe(0);
    // The hash of golang.org/x/mod/sumdb/dirhash.
    const line = `${sum('#!/bin/sh')}  terraform-provider-cloud_v1.2.3\n`;
    const hash = `h1:${createHash('sha256').update(line).digest('base64')}`;
    expect(JSON.parse(readFileSync(join(out, 'hashes.json'), 'utf8'))).toEqual({
      'plugins.example.com/example/cloud': { version: '1.2.3', hashes: [hash] },
    });
  });

  it.each([
    ['another sum', row(sum('another')), 'nothing of it is used'],
    ['a sum of another version', row(sum('another'), '1.2.2'), 'no sum of it'],
    [
      'a sum for another processor',
      { 'example/cloud': { version: '1.2.3', sha256: { linux_amd64: sum('x') } } },
      'no sum of it',
    ],
  ])('a plugin is refused when the repository has %s', (_, sums, words) => {
    const { status, stderr, out } = unpack(sums);
    expect([status, stderr]).toEqual([1, expect.stringContaining(words)]);
    expect(existsSync(join(out, 'plugins.example.com/example/cloud/1.2.3'))).toBe(false);
  });

  it('a plugin without a committed sum is unpacked, and the build prints its sum', () => {
    const { status, stdout } = unpack({});
    expect([status, stdout]).toEqual([
      0,
      expect.stringMatching(/example\/cloud 1.2.3 linux_arm64: not in plugin-sums.json.*[0-9a-f]{64}/),
    ]);
  });

  const provider = (source: string, version = '6.68.0') => ({ name: source.split('/')[1], source, version });
  const required = (...types: readonly string[]): unknown => {
    const printed = execFileSync(
      process.execPath,
      [join(folder, 'terraform/provider-requirements.mjs'), join(place, 'templates'), types.join(' ')],
      { encoding: 'utf8', stdio: 'pipe' },
    );
    return JSON.parse(printed).terraform.required_providers;
  };

  beforeEach(() => {
    for (const [type, source] of Object.entries({ aws: 'hashicorp/aws', hetzner: 'hetznercloud/hcloud' })) {
      mkdirSync(join(place, 'templates', type), { recursive: true });
      writeFileSync(join(place, 'templates', type, 'provider.json'), JSON.stringify({ provider: provider(source) }));
    }
  });

  it('the build requires the plugins of all types, or only of the types that the option names', () => {
    expect(Object.keys(required() as object)).toEqual(['hashicorp-aws', 'hetznercloud-hcloud']);
    expect(Object.keys(required('hetzner', 'sim') as object)).toEqual(['hetznercloud-hcloud']);
  });

  it('plugins are unpacked where Terraform looks for them', () => {
    archive(served('plugin.zip'), 'terraform-provider-aws_v6.68.0', '#!/bin/sh');
    // Mirrors packed, as the real one does.
    program(
      'terraform',
      'shift 3; mkdir -p "$1/plugins.example.com/hashicorp/aws"; cp "$SERVED/plugin.zip" "$1/plugins.example.com/hashicorp/aws/terraform-provider-aws_6.68.0_linux_arm64.zip"',
    );
    const out = join(place, 'out');
    const { status, stderr } = run('terraform/mirror-providers.sh', [out], {});
    expect([status, stderr]).toEqual([0, '']);
    const plugin = join(out, 'plugins.example.com/hashicorp/aws/6.68.0/linux_arm64/terraform-provider-aws_v6.68.0');
    expect(existsSync(plugin)).toBe(true);
    expect(
      existsSync(join(out, 'plugins.example.com/hashicorp/aws/terraform-provider-aws_6.68.0_linux_arm64.zip')),
    ).toBe(false);
  });
});
