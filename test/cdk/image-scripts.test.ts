/** The scripts that fetch programs for the images, with a stand-in for the network: what is not what it should be is refused. */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
  return spawnSync(join(folder, script), args, { cwd: join(place, 'work'), env, encoding: 'utf8' });
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

describe('plugins of Terraform', () => {
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
