/** `kubeloom approve | plans NAME`: plans that were proposed, and who lets them be carried out. */
import type { Command } from 'commander';
import type { Money } from '#domain/prices/money.ts';
import { moneyText } from '#domain/prices/money-text.ts';
import { cliClient, type ManifestName } from '../connection/api-client.ts';
import { CliError, exitCodes } from '../exit-codes.ts';
import { reportAndWait } from '../follow/wait.ts';
import { parseManifestName, shortName } from '../manifest-name.ts';
import { jsonOption, namespaceOf, onlyNamespace } from '../options.ts';
import { paintStatus, print, printJson, printTable } from '../print/output.ts';
import { showPlan } from '../print/show-plan.ts';
import { ago } from '../print/times.ts';
import { type Consent, canAsk, confirm, consentOptions } from '../submission/confirm.ts';

interface PlansOptions {
  readonly namespace: string;
  readonly json?: boolean;
}

interface WaitingOptions {
  readonly namespace?: string;
  readonly json?: boolean;
}

interface ApproveOptions extends PlansOptions, Consent {
  readonly plan: string;
  readonly wait?: boolean;
  readonly json?: boolean;
}

export function registerApprove(program: Command): void {
  program
    .command('plans [name]')
    .description('plans that were proposed for a manifest, newest first; without NAME: all that wait for an approval')
    .addOption(onlyNamespace('namespace of NAME; without NAME: only those of this namespace'))
    .addOption(jsonOption())
    .action((name: string | undefined, options: WaitingOptions) =>
      name === undefined ? waitingPlans(options) : plans(name, { namespace: 'default', ...options }),
    );
  const approve = program
    .command('approve <name>')
    .description('approve a proposed plan: exactly this plan is carried out, or nothing if anything has changed')
    .addOption(namespaceOf())
    .requiredOption('--plan <id>', 'the plan, as `kubeloom plans` shows it')
    .option('--wait', 'show progress until the run ends; exit 6 or 10 to 15 when it fails');
  consentOptions(approve)
    .addOption(jsonOption())
    .action(async (name: string, options: ApproveOptions) => {
      // The manifest may not exist yet: its name is not looked up.
      process.exitCode = await approvePlan(parseManifestName(name, options.namespace), options);
    });
}

/** Plans of manifests and inventories, also of those that do not exist yet; each with the command that carries it out. */
async function waitingPlans({ namespace, json }: WaitingOptions): Promise<void> {
  const { items } = await cliClient().listWaitingPlans({ namespace });
  if (json) return printJson(items);
  if (items.length === 0) return print('no plan waits for an approval');
  printTable(
    ['OF', 'PROPOSED', 'BY', 'CHANGES', 'COST A MONTH', 'APPROVE WITH'],
    items.map(({ namespace: of, name, id, at, by, summary, difference = [] }) => [
      name === null ? `inventory ${of}` : shortName({ namespace: of, name }),
      ago(at),
      by,
      summary,
      difference.map(signed).join(', ') || '-',
      name === null
        ? `rollout start -n ${of} --plan ${id}`
        : `approve ${shortName({ namespace: of, name })} --plan ${id}`,
    ]),
    { drop: ['COST A MONTH', 'BY', 'PROPOSED', 'CHANGES'] },
  );
}

const signed = ({ currency, amount }: Money): string =>
  `${amount < 0 ? '-' : '+'}${moneyText({ currency, amount: Math.abs(amount) })}`;

async function plans(name: string, options: PlansOptions): Promise<void> {
  const { items } = await cliClient().listPlans(parseManifestName(name, options.namespace));
  if (options.json) return printJson(items);
  if (items.length === 0) return print('no plan was proposed');
  printTable(
    ['PLAN', 'STATE', 'PROPOSED', 'BY', 'REASON', 'CHANGES'],
    items.map((plan) => [
      plan.id,
      plan.approved ? `${paintStatus(plan.state)} by ${plan.approved.by}` : paintStatus(plan.state),
      ago(plan.at),
      plan.by,
      plan.reason,
      plan.summary,
    ]),
    { drop: ['REASON', 'BY', 'PROPOSED'] },
  );
}

/** The current plan is shown first; if it differs from the proposed plan, the API reports what changed. */
async function approvePlan(key: ManifestName, options: ApproveOptions): Promise<number> {
  if (!/^[0-9a-f]{40}$/.test(options.plan))
    throw new CliError(
      `--plan ${options.plan}: write the id of a plan, as \`kubeloom plans\` shows it`,
      exitCodes.usage,
    );
  const api = cliClient();
  const report = await api.getPlan({ ...key, plan: options.plan });
  if (report.id === options.plan) {
    if (!options.json && canAsk(options) && !options.yes) showPlan(report);
    await confirm({ totals: report.totals, action: `approve ${key.namespace}/${key.name}` }, options);
  }
  const accepted = await api.approveManifest(key, { plan: options.plan });
  return reportAndWait(api, key, accepted, { ...options, done: 'approved' });
}
