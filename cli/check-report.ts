/** What a check of credentials found, for people and programs, and the exit code that follows from it. */
import type { CheckFinding } from '#contracts/job.ts';
import { exitCodes } from './exit-codes.ts';
import { paint, print, printJson, printWrapped } from './output.ts';

export interface CheckReport {
  /** Name of the provider instance. */
  readonly provider: string;
  readonly findings: readonly CheckFinding[];
}

/** Prints it and sets the exit code. */
export function reportCheck({ provider, findings }: CheckReport, asJson: boolean): void {
  if (asJson) printJson({ provider, ok: verdict(findings) !== false, findings });
  else show(provider, findings);
  process.exitCode = verdict(findings) === false ? exitCodes.invalid : exitCodes.ok;
}

/** False: something is missing. Null: something could not be checked. */
function verdict(findings: readonly CheckFinding[]): boolean | null {
  if (findings.some(({ ok }) => ok === false)) return false;
  return findings.some(({ ok }) => ok === null) ? null : true;
}

function show(name: string, findings: readonly CheckFinding[]): void {
  if (findings.length === 0) {
    print(`${name}: nothing to check, it needs no credentials`);
    return;
  }
  const granted = findings.filter(({ about, ok }) => about === 'permission' && ok === true);
  for (const finding of findings.filter((one) => !granted.includes(one))) {
    const mark =
      finding.ok === true ? paint('green', 'ok') : finding.ok === false ? paint('red', 'no') : paint('yellow', '??');
    printWrapped(`  ${mark} ${finding.about} ${paint('bold', finding.name)}: ${finding.message}`, 7);
  }
  if (granted.length > 0) print(`  ${paint('green', 'ok')} ${granted.length} permissions are granted`);
  const words = {
    true: 'has what it needs',
    false: 'lacks what is marked',
    null: 'has what it needs, as far as could be checked',
  };
  print(`${name} ${words[String(verdict(findings)) as keyof typeof words]}`);
}
