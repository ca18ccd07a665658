/** `kubeloom validate`: every fault of every document, offline. Exit 0 or 3. */
import type { Command } from 'commander';
import { readObjects } from '#documents/read-objects.ts';
import { validateDocuments } from '#domain/documents/validate-documents.ts';
import type { Fault } from '#domain/manifest/faults/fault.ts';
import { knownClouds } from '#domain/manifest/known-clouds.ts';
import { pricesOf } from '#domain/prices/scaling-prices.ts';
import { counted } from '#domain/words.ts';
import { exitCodes } from '../exit-codes.ts';
import { jsonOption, namespaceOfFiles } from '../options.ts';
import { faultLines, located } from '../print/faults.ts';
import { paint, print, printJson } from '../print/output.ts';
import { readDocuments } from '../submission/documents.ts';
import { type FileNamespace, fileNamespace } from '../submission/placed-in.ts';

interface Verdict {
  readonly file: string;
  /** 0-based place in the file; absent for faults of the file as a whole. */
  readonly index?: number;
  readonly kind?: string;
  readonly name?: string;
  readonly faults: readonly Fault[];
  readonly warnings: readonly Fault[];
}

export function registerValidate(program: Command): void {
  program
    .command('validate')
    .description('check documents offline: every fault at once, with path, reason and fix')
    .requiredOption('-f, --file <file...>', 'YAML or JSON files, - for standard input')
    .addOption(namespaceOfFiles())
    .addOption(jsonOption())
    .action(async (options: { file: readonly string[]; json?: boolean }, command: Command) => {
      const verdicts = await judge(options.file, fileNamespace(command));
      const valid = verdicts.every((verdict) => verdict.faults.length === 0);
      if (options.json) printJson({ valid, documents: verdicts });
      else for (const verdict of verdicts) show(verdict);
      process.exitCode = valid ? exitCodes.ok : exitCodes.invalid;
    });
}

async function judge(files: readonly string[], place?: FileNamespace): Promise<readonly Verdict[]> {
  const { documents, faults } = await readDocuments(files, place);
  const unreadable = faults.map(({ file, faults: list }) => ({ file, faults: list, warnings: [] }));
  const bodies = documents.map((item) => item.document);
  const judged = validateDocuments(bodies, { readObjects, pricesOf, clouds: await knownClouds(bodies, new Date()) });
  return [
    ...unreadable,
    ...judged.map((verdict, at) => ({
      file: documents[at]?.file ?? '',
      index: documents[at]?.index ?? 0,
      ...verdict,
      faults: located(documents[at]?.document, verdict.faults),
      warnings: located(documents[at]?.document, verdict.warnings),
    })),
  ];
}

function show(verdict: Verdict): void {
  const title = verdict.kind ? `${verdict.kind} ${verdict.name ?? ''}`.trim() : 'document';
  const place = verdict.index === undefined ? verdict.file : `${verdict.file} [${verdict.index + 1}]`;
  const count = verdict.faults.length;
  const state = count === 0 ? paint('green', 'valid') : paint('red', counted(count, 'fault'));
  print(`${place}  ${title}  ${state}`);
  for (const line of faultLines(verdict.faults, 'fault')) print(line);
  for (const line of faultLines(verdict.warnings, 'warning')) print(line);
}
