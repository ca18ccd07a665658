/** `kubeloom upgrade --check`: what an upgrade of the installation to the release of this command line requires. */
import type { Command } from 'commander';
import { providerTypeNames } from '#domain/provider-types.ts';
import { CliError, exitCodes } from '../exit-codes.ts';
import { jsonOption } from '../options.ts';
import { packageVersion } from '../own-files.ts';
import { paint, print, printJson, printTable } from '../print/output.ts';
import { type UpgradeFinding, upgradeFindings } from '../upgrade-check.ts';

interface UpgradeOptions {
  readonly json?: boolean;
  readonly aws?: boolean;
  readonly region?: string;
  readonly installation: string;
}

export function registerUpgrade(program: Command): void {
  program
    .command('upgrade')
    .description('check what an upgrade to this version requires; changes nothing')
    .requiredOption('--check', 'required; upgrade with `npx cdk deploy --all` in the clone: docs/aws/upgrade.md')
    .option('--aws', 'also check quotas of the account that this version needs and the installed one does not')
    .option('--region <region>', 'with --aws: the region of the installation (default: the region of the AWS settings)')
    .option('--installation <name>', 'with --aws: prefix of its stacks', 'kubeloom')
    .addOption(jsonOption())
    .action(async ({ json, aws, region, installation }: UpgradeOptions) => {
      if (region !== undefined && !aws) throw new CliError('--region needs --aws: add that', exitCodes.usage);
      const [{ cliClient }, { allManifests }] = await Promise.all([
        import('../connection/api-client.ts'),
        import('../find/find-manifest.ts'),
      ]);
      const api = cliClient();
      const [from, manifests, quotas] = await Promise.all([
        api.getVersion(),
        allManifests(api),
        aws ? newQuotas({ installation, ...(region !== undefined && { region }) }) : undefined,
      ]);
      const to = { version: packageVersion(), providerTypes: providerTypeNames };
      const findings = upgradeFindings({ from, to, manifests, ...(quotas && { quotas }) });
      if (json) printJson(findings);
      else show(findings);
      if (findings.some(({ state }) => state === 'wrong')) process.exitCode = exitCodes.fault;
    });
}

/** Loaded when it is needed: clients of AWS take half a second. */
async function newQuotas(about: { readonly installation: string; readonly region?: string }) {
  return (await import('../doctor/examine-aws.ts')).examineForUpgrade(about);
}

const marks = {
  ok: paint('green', 'ok'),
  note: paint('yellow', 'note'),
  wrong: paint('red', 'wrong'),
} as const satisfies Record<UpgradeFinding['state'], string>;

function show(findings: readonly UpgradeFinding[]): void {
  const rows = findings.map(({ state, about, found, fix }) => [marks[state], about, found, fix ?? '']);
  printTable(['', 'CHECK', 'FOUND', 'WHAT TO DO'], rows);
  print();
  print(
    findings.some(({ state }) => state === 'wrong')
      ? 'fix these before you upgrade'
      : 'nothing prevents the upgrade; `npx cdk diff` shows what it changes',
  );
}
