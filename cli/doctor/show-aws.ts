/** The doctor's report about an AWS account, for people. */
import { paint, print, printTable, printWrapped } from '../output.ts';
import type { AwsCheck } from './aws-check.ts';
import type { AwsReport } from './examine-aws.ts';

const marks: Readonly<Record<AwsCheck['state'], string>> = {
  ok: paint('green', 'ok'),
  warning: paint('yellow', 'warning'),
  wrong: paint('red', 'wrong'),
  skipped: paint('dim', 'skipped'),
};

export function showAws({ checks }: AwsReport): void {
  printTable(
    ['', 'CHECK', 'FOUND'],
    checks.map(({ name, state, found }) => [marks[state], name, found]),
  );
  // One command may fix several findings; each is on a line of its own, to be copied.
  const fixes = new Set(checks.flatMap(({ fix }) => (fix === undefined ? [] : [fix])));
  for (const fix of fixes) {
    const meant = checks.filter((check) => check.fix === fix);
    print();
    for (const { name, state } of meant) print(`${marks[state]}  ${paint('bold', name)}`);
    print(`  ${fix}`);
  }
  print();
  const wrong = checks.filter(({ state }) => state === 'wrong').length;
  const warnings = checks.filter(({ state }) => state === 'warning').length;
  if (wrong === 0 && warnings === 0) print('no problems found');
  else printWrapped(`${wrong} wrong, ${warnings} ${warnings === 1 ? 'warning' : 'warnings'}`);
}
