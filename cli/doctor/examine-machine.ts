/** What this machine has and lacks: the programs of requirements.json, and what the kernel can do for hosts. */

import { parseJson } from '#domain/json.ts';
import requirements from '../../requirements.json' with { type: 'json' };
import { ownFile } from '../own-files.ts';
import { askProgram, type VersionAnswer } from './ask-program.ts';
import type { Check } from './check.ts';

const hostsHelper = ownFile('local/hosts/kubeloom-host');

/** Every check, those of the hosts helper included. */
export async function examineMachine(): Promise<readonly Check[]> {
  const major = Number(process.versions.node.split('.')[0]);
  const programs = requirements.programs.flatMap(({ package: name, program, ask, atLeast }) =>
    program && ask ? [askProgram(program, ask, atLeast).then((answer) => check(program, answer, install(name)))] : [],
  );
  return [
    { name: 'Node 24', ok: major >= 24, found: process.version, for: 'all', fix: 'npm ci brings one on linux-x64' },
    ...(await Promise.all([examineTerraform(), ...programs, examineAnsible()])),
    ...(await examineHosts()),
    await examineKubernetes(),
    await (await import('./examine-kubeone.ts')).examineKubeOne(),
    await examineDocuments(),
  ];
}

/** One that no one supports any more works, but has no second lock against texts of machines: docs/decisions/0019. */
async function examineAnsible(): Promise<Check> {
  const { supported } = requirements.programs.find(({ package: name }) => name === 'ansible-core') ?? {};
  const answer = await askProgram('ansible-playbook', ['--version'], supported);
  const fix = 'scripts/setup.sh --hosts installs it from PyPI, if that can be reached';
  return { ...check('supported ansible-core', answer, fix), optional: true };
}

const install = (debianPackage: string): string => `scripts/setup.sh --hosts, or apt-get install ${debianPackage}`;

function check(name: string, { ok, found }: VersionAnswer, fix: string): Check {
  return { name, ok, found, for: 'hosts', fix };
}

/** OpenTofu where both are usable; else the installed one says why it is not usable. */
async function examineTerraform(): Promise<Check> {
  const { tofu, terraform } = requirements.downloads.tofu.anyOf;
  const answers = await Promise.all([
    askProgram('tofu', tofu.ask, tofu.atLeast),
    askProgram('terraform', terraform.ask, terraform.atLeast),
  ]);
  const answer = answers.find(({ ok }) => ok) ?? answers.find(({ missing }) => !missing) ?? answers[0];
  const versions = `terraform ≥ ${terraform.atLeast} or tofu ≥ ${tofu.atLeast}`;
  return check('terraform or tofu', answer, `scripts/setup.sh --hosts gets tofu; or put ${versions} on the PATH`);
}

/** Real Kubernetes for local hosts; without it their control planes are simulated. */
async function examineKubernetes(): Promise<Check> {
  const { partsAreThere, partsDirectory } = await import('#local/kubernetes/available.ts');
  const { kubernetesVersions } = await import('#local/kubernetes/parts.ts');
  const ok = partsAreThere();
  const versions = kubernetesVersions.map(({ version }) => version).join(', ');
  return {
    name: 'Kubernetes for local hosts',
    ok,
    for: 'hosts',
    optional: true,
    found: ok ? `${versions} in ${partsDirectory()}` : 'simulated control planes',
    ...(!ok && { fix: 'npm run kubernetes:build makes real ones (needs Go, once about 25 minutes)' }),
  };
}

/** Upstream files of documents, such as Longhorn's; without them, clusters of local hosts have no storage. */
async function examineDocuments(): Promise<Check> {
  const { documentDirectories, upstreamMissing } = await import('#local/documents.ts');
  const missing = upstreamMissing();
  const ok = missing.length === 0;
  return {
    name: 'upstream documents',
    ok,
    for: 'hosts',
    optional: true,
    found: ok ? 'all are there' : `${missing.join(', ')} missing: no storage on local hosts`,
    ...(!ok && { fix: `npm run documents:fetch, or put them into ${documentDirectories().at(-1)}` }),
  };
}

interface HostsReport {
  readonly checks: readonly {
    readonly name: string;
    readonly ok: boolean;
    readonly required: boolean;
    readonly found: string;
    readonly fix?: string;
  }[];
}

/** The report of the hosts helper: root, overlay, tun, bridge, its own programs. It exits with 3 if it lacks something. */
async function examineHosts(): Promise<readonly Check[]> {
  const { found, output } = await askProgram(hostsHelper, ['doctor']);
  const report = parseJson(output) as HostsReport | undefined;
  if (!report) return [check('hosts helper', { ok: false, found }, `run ${hostsHelper} doctor`)];
  return report.checks.map(({ name, ok, required, found, fix }) => ({
    name,
    ok,
    found: found || 'no',
    for: 'hosts',
    ...(fix && { fix: fix }),
    ...(!required && { optional: true }),
  }));
}
