/** Asks before anything that exists is removed; without a terminal only `--yes` answers. */
import { createInterface } from 'node:readline';
import type { Command } from 'commander';
import type { PlanReport } from '#contracts/api-bodies.ts';
import { type PlanTotals, removesAnything, totalsText } from '#domain/planning/text/plan-totals.ts';
import { counted } from '#domain/words.ts';
import type { CliClient, ManifestName, PlanRequest } from '../connection/api-client.ts';
import { currentContextLine } from '../connection/connection.ts';
import { CliError, exitCodes } from '../exit-codes.ts';
import { whenInterrupted } from '../interrupt.ts';
import { note, printWrapped } from '../print/output.ts';
import { isRefused } from '../print/refusals.ts';
import { showPlan } from '../print/show-plan.ts';

/** Options of every command that can remove something. */
export interface Consent {
  readonly yes?: boolean;
  /** `--no-input` makes it false. */
  readonly input?: boolean;
  readonly json?: boolean;
}

export function consentOptions(command: Command): Command {
  return command
    .option('-y, --yes', 'continue without asking, also when machines are removed')
    .option('--no-input', 'never ask: without --yes, refuse what removes machines');
}

/** There is a terminal on which a user can read the plan and answer. */
export function canAsk({ input, json }: Consent): boolean {
  return input !== false && json !== true && process.stdin.isTTY === true && process.stdout.isTTY === true;
}

export interface Confirmation {
  readonly totals: PlanTotals;
  /** The action, as in "delete default/shop". */
  readonly action: string;
  /** Asks on a terminal also when nothing is removed. @default false */
  readonly always?: boolean;
  /** What else is removed, in words. @default nothing that plans do not count */
  readonly removes?: string;
}

/** Returns when the command may continue. Throws `CliError` with `unconfirmed`; nothing was changed then. */
export async function confirm(question: Confirmation, consent: Consent): Promise<void> {
  const { totals, action, always = false, removes: others } = question;
  if (consent.yes) return;
  const removes = others !== undefined || removesAnything(totals);
  const what = others ?? totalsText(totals);
  if (!canAsk(consent)) {
    if (!removes) return;
    throw new CliError(
      `nothing was changed: this would remove existing resources (${what}), and there is no terminal for a confirmation; read the plan with \`kubeloom plan\`, then add --yes`,
      exitCodes.unconfirmed,
    );
  }
  if (!removes && !always) return;
  const answer = await ask(`\n${currentContextLine()}\n${action}? ${what}. Type yes to continue: `);
  if (!/^y(es)?$/i.test(answer.trim())) throw new CliError('nothing was changed', exitCodes.unconfirmed);
}

/** One line from the terminal; empty when it is closed. Ctrl-C ends the process as everywhere. */
function ask(question: string): Promise<string> {
  const forget = whenInterrupted(() => note('\nnothing was changed'));
  // Not as a terminal: Ctrl-C stays a signal.
  const lines = createInterface({ input: process.stdin, output: process.stdout, terminal: false });
  return new Promise<string>((resolve) => {
    lines.once('close', () => resolve(''));
    lines.question(question, resolve);
  }).finally(() => {
    forget();
    lines.close();
  });
}

export interface Intention {
  readonly plan: PlanRequest;
  /** As in "delete default/shop". */
  readonly action: string;
  /** Asks on a terminal also when nothing is removed. */
  readonly always: boolean;
  readonly consent: Consent;
}

/**
 * Returns the plan that was confirmed; its `etag` is the version that may be changed. A plan with faults or refusals is
 * not asked about: the API says why it refuses. Throws `CliError` when it is not confirmed.
 */
export async function confirmPlan(
  api: CliClient,
  key: ManifestName,
  { plan: request, action, always, consent }: Intention,
): Promise<PlanReport> {
  const report = await api.planManifest(key, request);
  if (isRefused(report) || consent.yes) return report;
  if (canAsk(consent)) {
    showPlan(report);
    const orphans = request.orphan?.split(',') ?? [];
    if (orphans.length > 0) printWrapped(`  orphaned, keeps running: ${counted(orphans.length, 'node')}`);
  }
  const goal = report.rollbackTo === undefined ? '' : ` to generation ${report.rollbackTo}`;
  await confirm({ totals: report.totals, action: `${action}${goal}`, always }, consent);
  return report;
}
