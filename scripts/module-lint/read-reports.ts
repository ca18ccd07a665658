/** The reports of tflint and checkov (JSON) as findings. */
import { relative, resolve } from 'node:path';
import { z } from 'zod';
import { unusedVariable } from './acknowledgements.ts';
import type { ModuleFinding } from './judge.ts';

/** A linter that could not read everything: its silence means nothing. */
export class UnreadModules extends Error {}

const TflintReport = z.object({
  issues: z.array(
    z.object({
      rule: z.object({ name: z.string() }),
      message: z.string(),
      range: z.object({ filename: z.string(), start: z.object({ line: z.number() }) }),
    }),
  ),
  errors: z.array(z.object({ message: z.string() })),
});

/** `modules`: the directory that paths of files are relative to. */
export function readTflint(report: unknown, modules: string): readonly ModuleFinding[] {
  const { issues, errors } = TflintReport.parse(report);
  if (errors.length) throw new UnreadModules(`tflint: ${errors.map(({ message }) => message).join('; ')}`);
  return issues.map(({ rule, message, range }) => ({
    rule: rule.name,
    file: relative(modules, resolve(range.filename)),
    subject:
      rule.name === unusedVariable ? message.replace(/^variable "(\w+)".*$/, 'var.$1') : `line ${range.start.line}`,
    message,
  }));
}

const CheckovReport = z.object({
  results: z.object({
    failed_checks: z.array(
      z.object({ check_id: z.string(), check_name: z.string(), file_path: z.string(), resource: z.string() }),
    ),
    parsing_errors: z.array(z.string()).default([]),
  }),
});

export function readCheckov(report: unknown): readonly ModuleFinding[] {
  const { failed_checks: failed, parsing_errors: unread } = CheckovReport.parse(report).results;
  if (unread.length) throw new UnreadModules(`checkov cannot read ${unread.join(', ')}`);
  return failed.map(({ check_id: rule, check_name: message, file_path: file, resource: subject }) => ({
    rule,
    file: file.replace(/^\//, ''),
    subject: subject.replace(/^data\./, ''),
    message,
  }));
}
