/**
 * Asks all machines of a cluster over SSH, many at once: which peers they reach, their proxy settings, whether they serve their roles, what
 * their health checks say. Without Ansible, which does not start where there is no shared memory (docs/decisions/0015).
 */
import { allNodes } from '#domain/cluster-state.ts';
import { printableText } from '#domain/observed/printable-text.ts';
import { proxySettings } from '#rendering/no-proxy.ts';
import { asRoot, inputShell, runOverSsh, type SshLogin, sshLoginOf } from '../ansible/ssh-command.ts';
import { settleBounded } from '../bounded.ts';
import { nodeRow } from '../causes/node-causes.ts';
import { type MachineReport, readMachineReport } from '../machines/machine-report.ts';
import { longestVisitMs, machineScript, readScriptFiles } from '../machines/machine-script.ts';
import type { CommandResult } from '../process.ts';
import { writeSshKeyFiles } from '../ssh-keys.ts';
import type { DriftContext } from '../stage-context.ts';
import { isTimeUp } from '../stage-failure.ts';

/** Programs `ssh` at once: Lambda compute has 1,024 processes and open files for all of a check. */
const machinesAtOnce = 50;

interface Visit {
  readonly login: SshLogin;
  readonly script: string;
  readonly limitMs: number;
}

export interface VisitReports {
  /** By node, in the order of the state. */
  readonly reports: ReadonlyMap<string, MachineReport>;
  /** Machines that did not say which peers they reach, with why: the first question, after the login. */
  readonly silent: ReadonlyMap<string, string>;
  /** Machines that answered that and not all that followed, with why. */
  readonly unfinished: ReadonlyMap<string, string>;
  /** Those for which there was no time. */
  readonly unasked: readonly string[];
}

export type AskMachines = () => Promise<VisitReports>;

/** Prepares what all looks of a check ask with. */
export async function machineAsker(context: DriftContext): Promise<AskMachines> {
  const { target, facts, templatesDirectory } = context;
  const machines = allNodes(target);
  const keyDirectory = await writeSshKeyFiles(
    context,
    machines.map((machine) => ({ ...machine, clusterId: target.id })),
  );
  const files = await readScriptFiles(templatesDirectory);
  const simulated = facts.current.simulated.includes('control plane');
  const proxy = proxySettings(target, facts.current);
  const visits = machines.map((machine) => ({
    login: sshLoginOf(machine, facts.current, keyDirectory),
    script: machineScript(target, { ...machine, simulated, proxy }, files),
    limitMs: longestVisitMs(target, machine),
  }));
  return () => askAll(context, visits);
}

async function askAll(context: DriftContext, visits: readonly Visit[]): Promise<VisitReports> {
  const began = performance.now();
  const outcomes = await settleBounded(visits, machinesAtOnce, (visit) => ask(context, visit));
  const reports = new Map<string, MachineReport>();
  const silent = new Map<string, string>();
  const unfinished = new Map<string, string>();
  const unasked: string[] = [];
  for (const [index, { login }] of visits.entries()) {
    const outcome = outcomes[index];
    if (outcome?.status === 'fulfilled') {
      const { report, why } = outcome.value;
      if (report !== undefined) reports.set(login.name, report);
      if (why !== undefined) (report === undefined ? silent : unfinished).set(login.name, why);
    } else if (isTimeUp(context.signal)) unasked.push(login.name);
    else throw outcome?.reason;
  }
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  context.log.write(
    'runner',
    `${visits.length} machines were asked over SSH in ${seconds} s, ${silent.size} did not answer`,
  );
  return { reports, silent, unfinished, unasked };
}

/** Its report, and why the report is incomplete. */
async function ask(
  context: DriftContext,
  { login, script, limitMs }: Visit,
): Promise<{ readonly report: MachineReport | undefined; readonly why: string | undefined }> {
  // For both visits: the last answer to a question counts, also the answers from before the time was up.
  const visits: { whole: boolean; lines: string[] }[] = [];
  let characters = 0;
  const visit = async (): Promise<CommandResult> => {
    const said = { whole: false, lines: [] as string[] };
    visits.push(said);
    const result = await runOverSsh(context, login, asRoot(login, inputShell), {
      totalMs: limitMs,
      input: script,
      onOutput: (line) => {
        characters += line.length;
        if (characters <= mostCharacters) said.lines.push(line);
      },
    });
    said.whole = result.code === 0;
    return result;
  };
  try {
    let result = await visit();
    if (characters > mostCharacters) return { report: undefined, why: 'it printed more than a check reads' };
    // Once more where a machine, or something on the way, hung up: a server of SSH refuses some of many logins at once.
    if (result.code === 255 && !/timed out/i.test(result.stderr)) result = await visit();
    const { report, problem } = readMachineReport(visits);
    if (problem !== undefined) return { report, why: problem };
    if (result.code !== 0) return { report, why: lastWords(result) };
    return { report, why: report === undefined ? 'it does not run the commands of the check' : undefined };
  } catch (error) {
    const { report } = isTimeUp(context.signal) ? readMachineReport(visits) : {};
    if (report === undefined) throw error;
    return { report, why: 'the time of the check was over' };
  }
}

/** What is read of the answers of a machine: ten times those of the largest cluster. */
const mostCharacters = 4_000_000;

function lastWords({ code, stderr }: CommandResult): string {
  const words = printableText(stderr.trim().slice(-400), 400) || `it ended with exit code ${code}`;
  const row = nodeRow([stderr]);
  // A login that is refused is the only cause for which the check itself has no finding.
  return row?.class === 'credentials' ? `${words} (${row.code}: ${row.hint})` : words;
}
