/** Templates of Terraform in texts of users, as values and as keys, through the real program: `node bench/attacks/run.ts hcl`. Evaluated is one that does not come out as it went in. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { literal } from '#rendering/terraform-names.ts';

const texts: readonly string[] = [
  ...[
    '${file("/etc/passwd")}',
    '${path.module}',
    '${1 + 1}',
    '%{ if true }x%{ endif }',
    '%{ for x in [1] }${x}%{ endfor }',
  ],
  ...[
    '$${file("/etc/passwd")}',
    '$$${1}',
    '$$$${1}',
    '%%{ if true }',
    '%%%{ if true }x%{ endif }',
    '${',
    '%{',
    '$',
    '$$',
    '${~ 1 ~}',
  ],
  ...['${terraform.workspace}', '${jsonencode({a=1})}', '\\${1}', '"${1}"', '${"${1}"}', 'a\n${1}\n'],
];

/** Needs `terraform` on the PATH; no provider, no network. */
export function measureHcl() {
  const directory = mkdtempSync(join(tmpdir(), 'kubeloom-hcl-'));
  try {
    const root = {
      locals: literal({ values: texts, keys: texts.map((text) => ({ [text]: 1 })) }),
      output: { values: { value: '${local.values}' }, keys: { value: '${[for one in local.keys : keys(one)[0]]}' } },
    };
    writeFileSync(join(directory, 'main.tf.json'), JSON.stringify(root));
    const terraform = (...words: string[]): string =>
      execFileSync('terraform', words, { cwd: directory, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
    terraform('init', '-input=false', '-no-color');
    terraform('apply', '-auto-approve', '-input=false', '-no-color');
    const { values, keys } = JSON.parse(terraform('output', '-json'));
    const evaluated = texts.filter((text, index) => values.value[index] !== text || keys.value[index] !== text);
    return { templates: texts.length, ways: ['value', 'key'], evaluated };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
