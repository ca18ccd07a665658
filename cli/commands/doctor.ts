/** `kubeloom doctor`: what this machine has and lacks, and how to fix it. */
import type { Command } from 'commander';
import type { Check } from '../doctor/check.ts';
import { examineMachine } from '../doctor/examine-machine.ts';
import { CliError, exitCodes } from '../exit-codes.ts';
import { jsonOption } from '../options.ts';
import { paint, print, printJson, printWrapped } from '../print/output.ts';

interface DoctorOptions {
  readonly json?: boolean;
  readonly aws?: boolean;
  readonly manifests?: boolean;
  readonly region?: string;
  readonly installation: string;
}

export function registerDoctor(program: Command): void {
  program
    .command('doctor')
    .description('check what this machine, an AWS account or the stored manifests have and lack, and how to fix it')
    .option('--aws', 'check an AWS account and the installation in it, instead of this machine')
    .option('--region <region>', 'with --aws: the region to check (default: the region of the AWS settings)')
    .option('--installation <name>', 'with --aws: prefix of its stacks', 'kubeloom')
    .option('--manifests', 'check the manifests of the installation for DNS names that two of them have')
    .addOption(jsonOption())
    .action(async (options: DoctorOptions) => {
      if (options.aws && options.manifests)
        throw new CliError('--aws and --manifests are two examinations: leave one of them out', exitCodes.usage);
      if (options.aws) return examineAccount(options);
      if (options.region !== undefined) throw new CliError('--region needs --aws: add that', exitCodes.usage);
      const checks = options.manifests ? await examineStored() : await examineMachine();
      if (options.json) printJson(checks);
      else if (options.manifests) showChecks(checks);
      else show(checks);
      if (checks.some((check) => !check.ok && check.for === 'all')) process.exitCode = exitCodes.fault;
    });
}

/** Loaded when it is needed. */
async function examineStored(): Promise<readonly Check[]> {
  const [{ cliClient }, { examineNames }] = await Promise.all([
    import('../connection/api-client.ts'),
    import('../doctor/examine-names.ts'),
  ]);
  return examineNames(cliClient());
}

/** Loaded when it is needed: nine clients of AWS take half a second. */
async function examineAccount({ json, region, installation }: DoctorOptions): Promise<void> {
  const { examineAws, showAws } = await import('../doctor/examine-aws.ts');
  const token = process.env.KUBELOOM_TOKEN;
  const report = await examineAws({ installation, ...(region && { region }), ...(token && { token }) });
  if (json) printJson(report);
  else showAws(report);
  if (report.checks.some(({ state }) => state === 'wrong')) process.exitCode = exitCodes.fault;
}

function showChecks(checks: readonly Check[]): void {
  const width = Math.max(...checks.map(({ name }) => name.length));
  for (const check of checks) {
    const mark = check.ok ? paint('green', 'ok') : check.optional ? paint('dim', '- ') : paint('red', 'no');
    printWrapped(`${mark}  ${check.name.padEnd(width)}  ${check.found}`, width + 6);
    if (!check.ok && check.fix) printWrapped(`      ${paint('dim', '→')} ${check.fix}`, 8);
  }
}

function show(checks: readonly Check[]): void {
  showChecks(checks);
  const missing = checks.filter((check) => !check.ok && !check.optional);
  print();
  if (missing.length === 0) print('nothing is missing: real hosts can be created on this machine');
  else if (missing.every((check) => check.for === 'hosts'))
    print('real hosts cannot be created here yet; the sim runner (nothing real) works');
}
