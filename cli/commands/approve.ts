/** `kubeloom approve | reject | plans NAME`: plans that were proposed, and who lets them be carried out, or not. */
import type { Command } from 'commander';
import type { ProposedPlanRow } from '#contracts/proposed-plans.ts';
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

/** Options of a rejection, also of a roll-out. */
export interface RejectOptions extends PlansOptions {
  readonly plan: string;
  readonly reason?: string;
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
  const reject = program
    .command('reject <name>')
    .description('reject a proposed plan, or withdraw your own: it can no longer be approved')
    .addOption(namespaceOf());
  rejectOptions(reject)
    .addOption(jsonOption())
    .action(async (name: string, { plan, reason, ...options }: RejectOptions) => {
      const path = { ...parseManifestName(name, options.namespace), plan: planIn(plan) };
      reportRejected(await cliClient().rejectPlan(path, { reason }), options);
    });
}

/** Throws unless it is an id of a plan. */
export function planIn(plan: string): string {
  if (/^[0-9a-f]{40}$/.test(plan)) return plan;
  throw new CliError(`--plan ${plan}: write the id of a plan, as \`kubeloom plans\` shows it`, exitCodes.usage);
}

export function reportRejected(plan: ProposedPlanRow, { json }: { readonly json?: boolean }): void {
  if (json) printJson(plan);
  else print(`plan ${plan.id} of ${plan.by} is ${plan.state.toLowerCase()}`);
}

/** The command names a plan, and says why. */
export const rejectOptions = (command: Command): Command =>
  command
    .requiredOption('--plan <id>', 'the plan, as it is listed')
    .option('--reason <text>', 'why, for the author; only the author may leave it out');

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
  printPlans(items, options);
}

export function printPlans(items: readonly ProposedPlanRow[], { json }: { readonly json?: boolean }): void {
  if (json) printJson(items);
  else if (items.length === 0) print('no plan was proposed');
  else
    printTable(
      ['PLAN', 'STATE', 'PROPOSED', 'BY', 'REASON', 'CHANGES'],
      items.map((plan) => [
        plan.id,
        `${paintStatus(plan.state)}${endOf(plan)}`,
        ago(plan.at),
        plan.by,
        plan.reason,
        plan.summary,
      ]),
      { drop: ['REASON', 'BY', 'PROPOSED'] },
    );
}

/** Who decided it, and what they said; the plan that took its place. */
function endOf({ state, approved, closed }: ProposedPlanRow): string {
  if (approved) return ` by ${approved.by}`;
  if (closed === undefined) return '';
  if (state === 'Superseded') return ` by plan ${closed.plan}`;
  return ` by ${closed.by}${closed.reason === undefined ? '' : `: ${closed.reason}`}`;
}

/** The current plan is shown first; if it differs from the proposed plan, the API reports what changed. */
async function approvePlan(key: ManifestName, options: ApproveOptions): Promise<number> {
  planIn(options.plan);
  const api = cliClient();
  const report = await api.getPlan({ ...key, plan: options.plan });
  if (report.id === options.plan) {
    if (!options.json && canAsk(options) && !options.yes) showPlan(report);
    await confirm({ totals: report.totals, action: `approve ${key.namespace}/${key.name}` }, options);
  }
  const accepted = await api.approveManifest(key, { plan: options.plan });
  return reportAndWait(api, key, accepted, { ...options, done: 'approved' });
}
