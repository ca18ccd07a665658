/** scripts/lint-modules.sh with the real tflint and checkov: what is planted in a module is found. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';

const script = fileURLToPath(new URL('../../scripts/lint-modules.sh', import.meta.url));

const main = `terraform {
  required_version = ">= 1.6"
  required_providers {
    aws = { source = "hashicorp/aws" }
  }
}

resource "aws_ebs_volume" "data" {
  # checkov:skip=CKV_AWS_189:The key is the account's
  availability_zone = var.zone
  size              = 1
  encrypted         = true
}
`;
const variables = `variable "zone" {
  description = "Zone of the disk."
  type        = string
}

variable "tags" {
  description = "Not used: nothing here needs any."
  type        = map(string)
}
`;
const outputs = `output "id" {
  description = "Id of the disk."
  value       = aws_ebs_volume.data.id
}
`;
const good = { 'disk/main.tf': main, 'disk/variables.tf': variables, 'disk/outputs.tf': outputs };

let directory: string | undefined;
afterEach(() => {
  if (directory) rmSync(directory, { recursive: true, force: true });
  directory = undefined;
});

function lint(files: Readonly<Record<string, string>>): {
  readonly status: number | null;
  readonly reported: readonly string[];
} {
  directory = mkdtempSync(join(tmpdir(), 'kubeloom-module-lint-'));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(directory, dirname(name)), { recursive: true });
    writeFileSync(join(directory, name), text);
  }
  const { status, stdout, stderr } = spawnSync('bash', [script, directory], { encoding: 'utf8' });
  expect(stderr).not.toMatch(/Traceback|Error:/);
  return { status, reported: stdout.trim().split('\n') };
}

describe('lint and policies of modules', () => {
  it('a finding with an acknowledgement is accepted', () => {
    const { status, reported } = lint(good);

    expect(reported).toEqual([
      "acknowledged  disk/main.tf aws_ebs_volume.data CKV_AWS_189: The key is the account's",
      'acknowledged  disk/variables.tf var.tags terraform_unused_declarations: nothing here needs any.',
      'modules: 0 found, 0 stale, 2 acknowledged in 3 files',
    ]);
    expect(status).toBe(0);
  }, 120_000);

  it('findings without an acknowledgement, and acknowledgements of nothing, are reported', () => {
    const unencrypted = main.replace('encrypted         = true', 'encrypted         = false');
    const unexplained = unencrypted.replace(":The key is the account's", '\n  # checkov:skip=CKV_AWS_8:No such thing');
    const { status, reported } = lint({
      ...good,
      'disk/main.tf': unexplained.replace('source = "hashicorp/aws"', 'version = "6.0.0"'),
      'disk/variables.tf': variables.replace('Zone of the disk.', 'Not used: disks float.').replace('Not used: n', 'N'),
      'disk/outputs.tf': outputs.replace('description = "Id of the disk."', ''),
    });

    expect(reported.map((line) => line.replace(/:.*$/, ''))).toEqual([
      'FOUND  disk/main.tf aws_ebs_volume.data CKV_AWS_3',
      'FOUND  disk/main.tf line 4 terraform_required_providers',
      'FOUND  disk/outputs.tf line 1 terraform_documented_outputs',
      'FOUND  disk/variables.tf var.tags terraform_unused_declarations',
      'FOUND  disk/main.tf aws_ebs_volume.data CKV_AWS_189',
      'STALE  disk/main.tf aws_ebs_volume.data CKV_AWS_8',
      'STALE  disk/variables.tf var.zone terraform_unused_declarations',
      'modules',
    ]);
    expect(status).toBe(1);
  }, 120_000);

  it('a file that cannot be read is reported, and never counts as clean', () => {
    const { status, reported } = lint({ ...good, 'broken/main.tf': 'resource "aws_ebs_volume" {' });

    expect(reported.join('\n')).toMatch(/^FOUND {2}tflint: .*broken\/main\.tf/s);
    expect(status).toBe(1);
  }, 120_000);
});
