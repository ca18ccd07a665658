/** requirements.json is the one list of what a machine needs: what scripts, images and documents say agrees with it. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import product from '../../package.json' with { type: 'json' };
import requirements from '../../requirements.json' with { type: 'json' };

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const packagesFor = (use: string): readonly string[] =>
  [...new Set(requirements.programs.filter((row) => row.for.includes(use)).map((row) => row.package))].sort();

describe('requirements.json', () => {
  it('the Debian packages are exactly those that the Dockerfile of the runners installs', () => {
    const lines = [...read('runner-images/Dockerfile').matchAll(/--no-install-recommends (.*) \\/g)];
    const installed = lines.flatMap(([, names = '']) => names.split(' ')).map((name) => name.replace(/=.*/, ''));

    expect([...new Set(installed)].sort()).toEqual(packagesFor('images'));
  });

  it('the runner image and the set-up install a supported ansible-core, and all that it needs, by sums', () => {
    const ansible = requirements.programs.find((row) => row.package === 'ansible-core');
    const list = read('runner-images/ansible/requirements.txt');

    expect(list).toContain(`\nansible-core==${ansible?.supported}.`);
    for (const [name = ''] of list.matchAll(/^[^#\s].*$/gm)) expect(name).toMatch(/^[\w-]+==[\d.]+ \\$/);
    expect([...list.matchAll(/--hash=sha256:[0-9a-f]{64}/g)].length).toBeGreaterThan(9);
    for (const path of ['runner-images/Dockerfile', 'scripts/install-ansible.sh']) {
      expect(read(path)).toContain('ansible/requirements.txt');
      expect(read(path)).toMatch(/pip" install|pip install/);
      expect(read(path)).toContain('--only-binary :all: --require-hashes -r ');
    }
  });

  it('each program that the hosts helper runs is required', () => {
    const common = join(root, 'local/hosts/lib/common.sh');
    const script = 'state_dir=; set --; . "$0"; trap - EXIT; printf "%s\\n" "${host_tools[@]}"';
    const tools = execFileSync('bash', ['-c', script, common], { encoding: 'utf8' }).trim().split('\n');
    const programs = requirements.programs.filter((row) => row.for.includes('hosts')).map((row) => row.program);

    expect(tools.length).toBeGreaterThan(5);
    for (const tool of tools) expect(programs).toContain(tool);
  });

  it('the Debian packages that the page of the provider local names are required', () => {
    const [, names = ''] = /the Debian packages `([^`]+)`/.exec(read('docs/providers/local.md')) ?? [];

    expect(names.split(/\s+/).sort()).toEqual(packagesFor('hosts'));
  });

  it('the required terraform and tofu are those of README.md and docs/getting-started.md', () => {
    const { terraform, tofu } = requirements.downloads.tofu.anyOf;
    const text = `\`terraform\` (${terraform.atLeast} or newer) or \`tofu\` (${tofu.atLeast} or newer)`;

    for (const path of ['README.md', 'docs/getting-started.md'])
      expect(read(path).replace(/\s+/g, ' ')).toContain(text);
  });

  it('the required Node is that of package.json, README.md and docs/getting-started.md', () => {
    const [major] = /\d+/.exec(product.engines.node) ?? [];

    for (const path of ['README.md', 'docs/getting-started.md']) expect(read(path)).toContain(`Node ${major} or newer`);
  });

  it('the required kubectl is that of the runner image, with the same checksums', () => {
    const { version, sha256 } = requirements.downloads.kubectl;
    const dockerfile = read('runner-images/Dockerfile');

    expect(dockerfile).toContain(`ARG KUBECTL_VERSION=${version}\n`);
    expect(dockerfile).toContain(`ARG KUBECTL_SHA256_AMD64=${sha256.amd64}\n`);
    expect(dockerfile).toContain(`ARG KUBECTL_SHA256_ARM64=${sha256.arm64}\n`);
  });

  it('the required kubectl has the same version in every place', () => {
    const row = requirements.programs.find(({ program }) => program === 'kubectl');

    expect(row?.atLeast).toBe(requirements.downloads.kubectl.anyOf.kubectl.atLeast);
  });

  it('the packages for hosts include the packages for tests', () => {
    expect(packagesFor('hosts')).toEqual(expect.arrayContaining([...packagesFor('tests')]));
  });
});
