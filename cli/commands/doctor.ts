/** `kubeloom doctor`: what this machine has and lacks, and how to mend it. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Command } from 'commander';
import { CliError, exitCodes } from '../exit-codes.ts';
import { paint, print, printJson, printTable } from '../output.ts';

const run = promisify(execFile);

export interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly found: string;
  /** What needs it: `all`, or `hosts` (real machines of the provider `local`). */
  readonly for: 'all' | 'hosts';
  /** Nice to have: nothing that is promised fails without it. */
  readonly optional?: true;
  readonly mend?: string;
}

interface DoctorOptions {
  readonly json?: boolean;
  readonly aws?: boolean;
  readonly region?: string;
  readonly installation: string;
}

export function registerDoctor(program: Command): void {
  program
    .command('doctor')
    .description('what this machine, or an AWS account, has and lacks, and how to mend it')
    .option('--aws', 'look at an AWS account and the installation in it, instead of this machine')
    .option('--region <region>', 'with --aws: where to look; else as the AWS settings say')
    .option('--installation <name>', 'with --aws: prefix of its stacks', 'kubeloom')
    .option('--json', 'answer as JSON')
    .action(async (options: DoctorOptions) => {
      if (options.aws) return examineAccount(options);
      if (options.region !== undefined) throw new CliError('--region is for --aws only: add that', exitCodes.usage);
      const checks = await examine();
      if (options.json) printJson(checks);
      else show(checks);
      if (checks.some((check) => !check.ok && check.for === 'all')) process.exitCode = exitCodes.fault;
    });
}

/** Loaded when it is needed: nine clients of AWS take half a second. */
async function examineAccount({ json, region, installation }: DoctorOptions): Promise<void> {
  const [{ examineAws }, { showAws }] = await Promise.all([
    import('../doctor/examine-aws.ts'),
    import('../doctor/show-aws.ts'),
  ]);
  const token = process.env.KUBELOOM_TOKEN;
  const report = await examineAws({ installation, ...(region && { region }), ...(token && { token }) });
  if (json) printJson(report);
  else showAws(report);
  if (report.checks.some(({ state }) => state === 'wrong')) process.exitCode = exitCodes.fault;
}

/** Every check, those of the hosts helper included. */
export async function examine(): Promise<readonly Check[]> {
  const major = Number(process.versions.node.split('.')[0]);
  const terraform = (await versionOf('tofu', ['version'])) ?? (await versionOf('terraform', ['version']));
  return [
    { name: 'Node 24', ok: major >= 24, found: process.version, for: 'all', mend: 'npm ci brings one on linux-x64' },
    tool(
      'terraform or tofu',
      terraform,
      'put terraform ≥ 1.11 or tofu ≥ 1.10 on the PATH; with Go: scripts/build-tofu.sh',
    ),
    tool(
      'kubectl',
      await versionOf('kubectl', ['version', '--client']),
      'apt-get install kubernetes-client, or put kubectl on the PATH',
    ),
    tool('ansible-playbook', await versionOf('ansible-playbook', ['--version']), 'apt-get install ansible-core'),
    tool('ssh', await versionOf('ssh', ['-V']), 'apt-get install openssh-client'),
    ...(await hostChecks()),
  ];
}

function tool(name: string, version: string | undefined, mend: string): Check {
  return { name, ok: version !== undefined, found: version ?? 'missing', for: 'hosts', mend };
}

async function versionOf(command: string, args: readonly string[]): Promise<string | undefined> {
  try {
    const { stdout, stderr } = await run(command, [...args], { timeout: 20_000 });
    return (stdout || stderr).split('\n')[0]?.trim();
  } catch {
    return undefined;
  }
}

/** What the hosts helper says of itself: root, overlay, tun, bridge, packages. */
async function hostChecks(): Promise<readonly Check[]> {
  const helper = new URL('../../local/hosts/kubeloom-host', import.meta.url).pathname;
  const { stdout } = await run(helper, ['doctor']).catch((error: { stdout?: string }) => ({
    stdout: error.stdout ?? '',
  }));
  const report = JSON.parse(stdout || '{"checks":[]}') as {
    checks: readonly { name: string; ok: boolean; required: boolean; found: string; fix?: string }[];
  };
  return report.checks.map((check) => ({
    name: check.name,
    ok: check.ok,
    found: check.found || 'no',
    for: 'hosts' as const,
    ...(check.fix ? { mend: check.fix } : {}),
    ...(check.required ? {} : { optional: true as const }),
  }));
}

function show(checks: readonly Check[]): void {
  printTable(
    ['', 'CHECK', 'FOUND', 'HOW TO MEND'],
    checks.map((check) => [
      check.ok ? paint('green', 'ok') : check.optional ? paint('dim', '-') : paint('red', 'no'),
      check.name,
      check.found,
      check.ok ? '' : (check.mend ?? ''),
    ]),
  );
  const missing = checks.filter((check) => !check.ok && !check.optional);
  print();
  if (missing.length === 0) print('everything is here: real hosts can be made on this machine');
  else if (missing.every((check) => check.for === 'hosts'))
    print('real hosts cannot be made here yet; the sim runner (nothing real) works');
}
