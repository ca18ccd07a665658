/** Asks before anything that exists is removed; without a terminal only `--yes` answers. */
import { createInterface } from 'node:readline';
import type { Command } from 'commander';
import { type PlanTotals, removesAnything, totalsText } from '#domain/planning/text/plan-totals.ts';
import { currentContextLine } from './connection.ts';
import { CliError, exitCodes } from './exit-codes.ts';
import { whenInterrupted } from './interrupt.ts';
import { note } from './output.ts';

/** Options of every command that can remove something. */
export interface Consent {
  readonly yes?: boolean;
  /** `--no-input` makes it false. */
  readonly input?: boolean;
  readonly json?: boolean;
}

export function consentOptions(command: Command): Command {
  return command
    .option('-y, --yes', 'go on without a question, also when machines are removed')
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
}

/** Returns when it may go on. Throws `CliError` with `unconfirmed`; nothing was changed then. */
export async function confirm({ totals, action, always = false }: Confirmation, consent: Consent): Promise<void> {
  if (consent.yes) return;
  const removes = removesAnything(totals);
  if (!canAsk(consent)) {
    if (!removes) return;
    throw new CliError(
      `nothing was changed: to ${action} removes what exists (${totalsText(totals)}), and there is no terminal to ask on; read the plan with \`kubeloom plan\`, then add --yes`,
      exitCodes.unconfirmed,
    );
  }
  if (!removes && !always) return;
  const answer = await ask(`\n${currentContextLine()}\n${action}? ${totalsText(totals)}. Type yes to go on: `);
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
