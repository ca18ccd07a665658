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
  it('has exactly the Debian packages that the Dockerfile of the runners installs', () => {
    const lines = [...read('runner-images/Dockerfile').matchAll(/--no-install-recommends (.*) \\/g)];
    const installed = lines.flatMap(([, names = '']) => names.split(' ')).map((name) => name.replace(/=.*/, ''));

    expect([...new Set(installed)].sort()).toEqual(packagesFor('images'));
  });

  it('has the line of ansible-core that the runner image installs', () => {
    const ansible = requirements.programs.find((row) => row.package === 'ansible-core');

    expect(read('runner-images/Dockerfile')).toContain(`ansible-core=${ansible?.atLeast}.*`);
  });

  it('has every program that the hosts helper runs', () => {
    const common = join(root, 'local/hosts/lib/common.sh');
    const script = 'state_dir=; set --; . "$0"; trap - EXIT; printf "%s\\n" "${host_tools[@]}"';
    const tools = execFileSync('bash', ['-c', script, common], { encoding: 'utf8' }).trim().split('\n');
    const programs = requirements.programs.filter((row) => row.for.includes('hosts')).map((row) => row.program);

    expect(tools.length).toBeGreaterThan(5);
    for (const tool of tools) expect(programs).toContain(tool);
  });

  it('has the Debian packages that the documentation of the provider local names', () => {
    const [, names = ''] = /the Debian packages `([^`]+)`/.exec(read('docs/providers/local.md')) ?? [];

    expect(names.split(/\s+/).sort()).toEqual(packagesFor('hosts'));
  });

  it('has the versions of terraform and tofu that README.md and docs/getting-started.md name', () => {
    const { terraform, tofu } = requirements.downloads.tofu.anyOf;
    const text = `\`terraform\` (${terraform.atLeast} or newer) or \`tofu\` (${tofu.atLeast} or newer)`;

    for (const path of ['README.md', 'docs/getting-started.md'])
      expect(read(path).replace(/\s+/g, ' ')).toContain(text);
  });

  it('has the Node version that package.json, README.md and docs/getting-started.md agree on', () => {
    const [major] = /\d+/.exec(product.engines.node) ?? [];

    for (const path of ['README.md', 'docs/getting-started.md']) expect(read(path)).toContain(`Node ${major} or newer`);
  });

  it('has the kubectl that the runner image has, with the same checksums', () => {
    const { version, sha256 } = requirements.downloads.kubectl;
    const dockerfile = read('runner-images/Dockerfile');

    expect(dockerfile).toContain(`ARG KUBECTL_VERSION=${version}\n`);
    expect(dockerfile).toContain(`ARG KUBECTL_SHA256_AMD64=${sha256.amd64}\n`);
    expect(dockerfile).toContain(`ARG KUBECTL_SHA256_ARM64=${sha256.arm64}\n`);
  });

  it('wants the same version of kubectl from every source', () => {
    const row = requirements.programs.find(({ program }) => program === 'kubectl');

    expect(row?.atLeast).toBe(requirements.downloads.kubectl.anyOf.kubectl.atLeast);
  });

  it('installs what it lists for tests also where it installs what it lists for hosts', () => {
    expect(packagesFor('hosts')).toEqual(expect.arrayContaining([...packagesFor('tests')]));
  });
});
