/** What modules acknowledge, read and held against findings; with the real linters: test/conformance/module-lint.test.ts. */
import { describe, expect, it } from 'vitest';
import { readAcknowledgements } from '../../scripts/module-lint/acknowledgements.ts';
import { judgeFindings, type ModuleFinding } from '../../scripts/module-lint/judge.ts';

const text = `# checkov:skip=CKV_1:before anything
resource "acme_server" "node" {
  # checkov:skip=CKV_2:costs money: too much
  for_each = var.nodes
  //checkov:skip=CKV_3
}

data "acme_zone" "zone" {
  # checkov:skip=CKV_4: of the account
}

variable "tags" {
  description = "Tags. Not used: \\"nothing\\" has any."
  type        = map(string)
}

variable "pool" {
  description = "The pool; zone is Not used in any way."
  type        = any
}
`;
const found = (rule: string, subject: string): ModuleFinding => ({
  rule,
  file: 'a/main.tf',
  subject,
  message: 'Ensure that.',
});

describe('acknowledged findings in modules', () => {
  it('acknowledgements are comments of resources and data sources, and descriptions of unused variables', () => {
    const read = readAcknowledgements({ 'a/main.tf': text });

    expect(read.map(({ rule, subject, reason }) => [rule, subject, reason])).toEqual([
      ['CKV_1', 'no resource', 'before anything'],
      ['CKV_2', 'acme_server.node', 'costs money: too much'],
      ['CKV_3', 'acme_server.node', ''],
      ['CKV_4', 'acme_zone.zone', 'of the account'],
      ['terraform_unused_declarations', 'var.tags', '\\"nothing\\" has any.'],
    ]);
  });

  it('an acknowledgement covers findings at its place, all of a for_each at once, and nothing else', () => {
    const findings = [
      found('CKV_2', 'acme_server.node["a"]'),
      found('CKV_2', 'acme_server.node["b"]'),
      found('CKV_2', 'acme_server.other'),
      found('CKV_3', 'acme_server.node'),
      found('CKV_4', 'acme_zone.zone'),
    ];

    const { settled, unexplained, open, stale } = judgeFindings(findings, readAcknowledgements({ 'a/main.tf': text }));

    expect(settled.map(({ rule }) => rule)).toEqual(['CKV_2', 'CKV_4']);
    expect(unexplained.map(({ rule }) => rule)).toEqual(['CKV_3']);
    expect(open).toEqual([found('CKV_2', 'acme_server.other')]);
    expect(stale.map(({ rule }) => rule)).toEqual(['CKV_1', 'terraform_unused_declarations']);
  });
});
