/**
 * The last step of scripts/lint-modules.sh: prints what was found and acknowledged; exit code 1 if anything is left to do.
 *
 *     node scripts/module-lint/report.ts MODULES REPORTS
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readAcknowledgements } from './acknowledgements.ts';
import { judgeFindings } from './judge.ts';
import { readCheckov, readTflint, UnreadModules } from './read-reports.ts';

const [modules = '.', reports = '.'] = process.argv.slice(2);
const json = (name: string): unknown => JSON.parse(readFileSync(join(reports, name), 'utf8'));
const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

try {
  const files = Object.fromEntries(
    globSync('**/*.tf', { cwd: modules }).map((file) => [file, readFileSync(join(modules, file), 'utf8')]),
  );
  const { open, unexplained, stale, settled } = judgeFindings(
    [...readTflint(json('tflint.json'), modules), ...readCheckov(json('checkov.json'))],
    readAcknowledgements(files),
  );
  for (const { file, subject, rule, reason } of settled) say(`acknowledged  ${file} ${subject} ${rule}: ${reason}`);
  for (const { file, subject, rule, message } of open) say(`FOUND  ${file} ${subject} ${rule}: ${message}`);
  for (const { file, subject, rule } of unexplained)
    say(`FOUND  ${file} ${subject} ${rule}: acknowledged without a reason`);
  for (const { file, subject, rule } of stale)
    say(`STALE  ${file} ${subject} ${rule}: acknowledged, and not found any more`);
  const faults = open.length + unexplained.length;
  say(
    `modules: ${faults} found, ${stale.length} stale, ${settled.length} acknowledged in ${Object.keys(files).length} files`,
  );
  process.exitCode = faults + stale.length > 0 ? 1 : 0;
} catch (error) {
  if (!(error instanceof UnreadModules)) throw error;
  say(`FOUND  ${error.message}`);
  process.exitCode = 1;
}
