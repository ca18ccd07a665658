/** The reports of tflint and checkov (JSON), as findings and acknowledgements. */
import { relative, resolve } from 'node:path';
import { z } from 'zod';
import type { Acknowledgement, Finding } from './judge.ts';

/** A linter that could not read everything: its silence means nothing. */
export class UnreadModules extends Error {}

interface Told {
  readonly findings: readonly Finding[];
  readonly acknowledgements: readonly Acknowledgement[];
}

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

const unused = 'terraform_unused_declarations';
const described = /^variable "(?<name>\w+)" \{\s*description = "(?<text>(?:[^"\\]|\\.)*)"/gm;
const says = /(?:^|\. )Not used(?:: |, )(?<reason>.*)$/;

/** `variableFiles`: file, relative to the modules → text. A variable that is not used says so in its description. */
export function readTflint(report: unknown, modules: string, variableFiles: Readonly<Record<string, string>>): Told {
  const { issues, errors } = TflintReport.parse(report);
  if (errors.length) throw new UnreadModules(`tflint: ${errors.map(({ message }) => message).join('; ')}`);
  const findings = issues.map(({ rule, message, range }) => ({
    rule: rule.name,
    file: relative(modules, resolve(range.filename)),
    subject: rule.name === unused ? message.replace(/^variable "(\w+)".*$/, 'var.$1') : `line ${range.start.line}`,
    message,
  }));
  const acknowledgements = Object.entries(variableFiles).flatMap(([file, text]) =>
    [...text.matchAll(described)].flatMap(({ groups }) => {
      const reason = says.exec(groups?.text ?? '')?.groups?.reason;
      return reason === undefined ? [] : [{ rule: unused, file, subject: `var.${groups?.name}`, reason }];
    }),
  );
  return { findings, acknowledgements };
}

const Check = z.object({
  check_id: z.string(),
  check_name: z.string(),
  file_path: z.string(),
  resource: z.string(),
  check_result: z.object({ suppress_comment: z.string().optional() }),
});
const CheckovReport = z.object({
  results: z.object({
    failed_checks: z.array(Check),
    skipped_checks: z.array(Check).default([]),
    parsing_errors: z.array(z.string()).default([]),
  }),
});

/** `report` is of the modules as they are, `bare` of the same without their acknowledgements. */
export function readCheckov(report: unknown, bare: unknown): Told {
  const { failed_checks: findings } = parsed(bare);
  const { skipped_checks: skipped } = parsed(report);
  const place = ({ check_id: rule, file_path: file, resource: subject }: z.infer<typeof Check>) => ({
    rule,
    file: file.replace(/^\//, ''),
    subject,
  });
  return {
    findings: findings.map((check) => ({ ...place(check), message: check.check_name })),
    acknowledgements: skipped.map((check) => ({
      ...place(check),
      reason: (check.check_result.suppress_comment ?? '').replace(/^No comment provided$/, '').trim(),
    })),
  };
}

function parsed(report: unknown): z.infer<typeof CheckovReport>['results'] {
  const { results } = CheckovReport.parse(report);
  if (results.parsing_errors.length) {
    throw new UnreadModules(`checkov cannot read ${results.parsing_errors.join(', ')}`);
  }
  return results;
}
