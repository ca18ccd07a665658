/** The report of `kubeloom provider test`, for people and for programs. Exit 0, 1 or 3. */
import { exitCodes } from '../exit-codes.ts';
import { examineType } from '../provider-kit/examine-type.ts';
import { checkNames, type Finding } from '../provider-kit/finding.ts';
import { type Trial, tryWithTerraform } from '../provider-kit/try-with-terraform.ts';
import { modulesOf, readType, type TypeSource, validOf } from '../provider-kit/type-source.ts';
import { paint, print, printJson, printWrapped } from './output.ts';

export interface TestOptions {
  readonly full?: boolean;
  readonly json?: boolean;
}

/** Checks the type in `directory` against the contract, prints the findings, and returns the exit code. */
export async function testType(directory: string, options: TestOptions): Promise<number> {
  const source = await readType(directory);
  const findings = examineType(source);
  const trials = options.full ? await tryWithTerraform(source, findings) : [];
  if (options.json) printJson({ type: source.name, directory, ok: isFine(findings, trials), findings, trials });
  else show(source, findings, trials);
  return exitCodeOf(findings, trials);
}

const isFine = (findings: readonly Finding[], trials: readonly Trial[]): boolean =>
  exitCodeOf(findings, trials) === exitCodes.ok;

function exitCodeOf(findings: readonly Finding[], trials: readonly Trial[]): number {
  const faulty = findings.some(({ severity }) => severity === 'fault');
  if (faulty || trials.some(({ outcome }) => outcome === 'failed')) return exitCodes.invalid;
  return trials.some(({ outcome }) => outcome === 'not tried') ? exitCodes.fault : exitCodes.ok;
}

function show(source: TypeSource, findings: readonly Finding[], trials: readonly Trial[]): void {
  print(titleOf(source));
  const clear = modulesOf(source).length > 0 ? 'ok' : 'nothing';
  for (const [check, title] of Object.entries(checkNames)) {
    const found = findings.filter((finding) => finding.check === check);
    const worst = found.some(({ severity }) => severity === 'fault') ? 'fault' : found.length > 0 ? 'warning' : clear;
    print(`  ${mark(worst)} ${title}`);
    for (const { severity, place, message, fix } of found) {
      printWrapped(
        `           ${paint('bold', place)}: ${message}${severity === 'warning' && worst === 'fault' ? ' (warning)' : ''}`,
        11,
      );
      printWrapped(`           ${paint('dim', '→')} ${fix}`, 13);
    }
  }
  for (const { name, outcome, details } of trials) {
    print(`  ${mark(outcome)} ${name}`);
    for (const detail of details) printWrapped(`           ${detail}`, 11);
  }
  print();
  print(verdict(findings, trials));
}

/** The type, and what was checked. */
function titleOf(source: TypeSource): string {
  const { provider } = validOf(source.template) ?? {};
  const modules = modulesOf(source).map(({ name }) => name);
  const seen = [
    modules.length > 0 ? `: ${modules.join(', ')}` : '',
    provider === undefined ? '' : `; plugin ${provider.source} ${provider.version}`,
  ];
  return `${paint('bold', `provider type ${source.name}`)}${seen.join('')}`;
}

function verdict(findings: readonly Finding[], trials: readonly Trial[]): string {
  const faults = findings.filter(({ severity }) => severity === 'fault').length;
  const failed = trials.filter(({ outcome }) => outcome === 'failed').length;
  if (faults + failed > 0) return paint('red', `the contract is not kept: ${faults + failed} to fix`);
  if (trials.some(({ outcome }) => outcome === 'not tried'))
    return paint('yellow', 'no fault found, but not everything could be tried');
  return trials.length > 0
    ? paint('green', 'the contract is kept')
    : `${paint('green', 'the contract is kept')}, as far as the files show; --full tries them with Terraform`;
}

const marks = {
  ok: () => paint('green', 'ok      '),
  nothing: () => paint('dim', '-       '),
  passed: () => paint('green', 'ok      '),
  warning: () => paint('yellow', 'warning '),
  fault: () => paint('red', 'fault   '),
  failed: () => paint('red', 'failed  '),
  'not tried': () => paint('yellow', 'not tried'.slice(0, 9)),
} as const;
const mark = (word: keyof typeof marks): string => marks[word]();
