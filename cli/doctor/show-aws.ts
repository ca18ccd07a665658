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
  const toMend = checks.filter(({ mend }) => mend !== undefined);
  // Commands stand on lines of their own: they are there to be copied.
  for (const { name, state, mend } of toMend) {
    print();
    print(`${marks[state]}  ${paint('bold', name)}`);
    print(`  ${mend}`);
  }
  print();
  const wrong = checks.filter(({ state }) => state === 'wrong').length;
  const warnings = checks.filter(({ state }) => state === 'warning').length;
  if (wrong === 0 && warnings === 0) print('everything is as it should be');
  else printWrapped(`${wrong} wrong, ${warnings} ${warnings === 1 ? 'warning' : 'warnings'}`);
}
