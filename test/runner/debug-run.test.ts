/** `retry --debug`: tools say more in the log of their stage, masked, and everything that reads them reads the same. */
import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { textForms } from '#domain/observed/secret-forms.ts';
import type { StagePlan } from '#domain/plan.ts';
import type { CommandResult, VerboseTool } from '#runner/process.ts';
import { runnerConfig } from '#runner/runner-config.ts';
import { findTerraform } from '#runner/terraform/cli/find-terraform.ts';
import { aDocument, type StageWorld, stageWorld } from './stage-world.ts';

const traffic: StagePlan = { stage: 'traffic', reasons: [], work: { loadBalancers: ['lb'] } };
const secret = 'planted "kumquat" <&> secret-value';
let world: StageWorld;
beforeEach(() => {
  world = stageWorld();
});
afterEach(() => world.close());

const says = 'echo "$@" > "$0.args"; echo "${TF_LOG-}" > "$0.level"';

interface Tried {
  readonly tool: VerboseTool;
  readonly script: string;
  readonly args: readonly string[];
}

/** What one command gives to its reader, with the log and the arguments that the program got. */
async function tried({ tool, script, args }: Tried, debug: boolean) {
  await world.put(aDocument([traffic], debug ? { debug: true } : {}));
  const program = world.script(tool, `#!/bin/bash\n${says}\n${script}\n`);
  let result: CommandResult | undefined;
  const stage = await world.run('traffic', {
    tool: async ({ run, mask }) => {
      mask.add([secret]);
      result = await run({ label: tool, tool, program, args });
      return {};
    },
  });
  expect(stage.error).toBeUndefined();
  return {
    result,
    log: await world.log('traffic'),
    args: readFileSync(`${program}.args`, 'utf8').trim(),
    level: readFileSync(`${program}.level`, 'utf8').trim(),
  };
}

/** Programs that say more when they are asked to, all that they know included. */
const forms = Object.values(textForms).map((encode) => encode(secret));
const printed = (line: (text: string) => string) =>
  forms.map((form) => `printf '%s\\n' ${quoted(line(form.replaceAll('\n', ' ')))}`).join('\n');
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
const isAsked = (flag: string, loud: string, stream = 2) => `case "$*" in *${flag}*)\n{ ${loud}\n} >&${stream};; esac`;

const tools: readonly (Tried & { readonly flag: string; readonly sign: string })[] = [
  {
    tool: 'ansible',
    flag: '-vvv',
    sign: '(3, b',
    args: ['play.yml', '-i', 'inventory.json'],
    script: `${isAsked('-vvv', `${printed((text) => `<203.0.113.5> (3, b'${text}', b'')`)}`, 1)}\necho 'ERROR! the playbook is broken' >&2; exit 4`,
  },
  {
    tool: 'kubeone',
    flag: '--verbose',
    sign: '[203.0.113.5] + apt-get',
    args: ['apply', '-m', 'kubeone.yaml', '-y'],
    script: `${isAsked('--verbose', `${printed((text) => `[203.0.113.5] + apt-get ${text}`)}\nprintf '[203.0.113.5] no end'`)}\nprintf 'Error: runtime: running task on "203.0.113.5"\\nssh: popen\\n' >&2; exit 10`,
  },
  {
    tool: 'kubectl',
    flag: '-v=6',
    sign: 'round_trippers.go:560]',
    args: ['--kubeconfig=k', 'exec', 'pod', '--', 'command', '-x'],
    script: `${isAsked('-v=6', `${printed((text) => `I1127 13:52:43.939946   28113 round_trippers.go:560] GET https://a/${text} 200 OK in 1 milliseconds`)}\nprintf 'I1127 13:52:43.943695   28113 helpers.go:246] server response object: [{\\n  "message": "no space left on device"\\n}]\\n'`)}\necho 'Error from server (Forbidden): nodes is forbidden' >&2; exit 1`,
  },
  {
    tool: 'terraform',
    flag: 'apply',
    sign: '[INFO]  CLI args',
    args: ['apply', '-json', 'plan.tfplan'],
    script: `[ -z "\${TF_LOG_PATH-}" ] || { ${printed((text) => `2026-11-27T13:52:43.261Z [INFO]  CLI args: ${text}`)}\n} > "$TF_LOG_PATH"\necho '{"type":"diagnostic"}'; echo 'Error: refused' >&2; exit 1`,
  },
];

describe('a command of a run with --debug', () => {
  for (const one of tools) {
    it(`${one.tool} says more in the log, without a secret, and what is read of it is the same`, async () => {
      const quiet = await tried(one, false);
      const loud = await tried(one, true);
      expect(loud.result).toEqual(quiet.result);
      expect(quiet.log).not.toContain(one.sign);
      expect(loud.log.split(one.sign).length).toBeGreaterThan(forms.length);
      expect(quiet.args).toBe(one.args.join(' '));
      expect(loud.args).toContain(one.flag);
      for (const form of forms) expect(loud.log).not.toContain(form);
      expect(loud.log).not.toMatch(/kumquat/i);
    });
  }

  it('kubectl gets its option before the command that it runs in a pod', async () => {
    const kubectl = tools.find(({ tool }) => tool === 'kubectl');
    if (kubectl === undefined) throw new Error('no kubectl');
    expect((await tried(kubectl, true)).args).toBe('--kubeconfig=k exec pod -v=6 -- command -x');
  });

  it('terraform says no more than INFO, which has no values, and its log is removed', async () => {
    const script = 'echo "$TF_LOG_PATH" > "$0.path"; [ -z "$TF_LOG_PATH" ] || echo "a line" > "$TF_LOG_PATH"';
    const loud = await tried({ tool: 'terraform', args: ['plan'], script }, true);
    expect(loud.level).toBe('INFO');
    expect(loud.log).toContain('terraform log: a line');
    const path = readFileSync(join(world.directory, 'terraform.path'), 'utf8').trim();
    expect(() => readFileSync(path)).toThrow(/ENOENT/);
    expect((await tried({ tool: 'terraform', args: ['plan'], script }, false)).level).toBe('');
  });

  it('a log of Terraform that is too long begins with a whole line', async () => {
    const script = `head -c 5000000 /dev/zero | tr '\\0' x > "$TF_LOG_PATH"; printf ' kumquat\\nlast line\\n' >> "$TF_LOG_PATH"`;
    const loud = await tried({ tool: 'terraform', args: ['plan'], script }, true);
    expect(loud.log).toContain('terraform log: last line');
    expect(loud.log).not.toContain('kumquat');
  });

  it('a command that is stopped leaves the log that it wrote', async () => {
    await world.put(aDocument([traffic], { debug: true }));
    const program = world.script('terraform', '#!/bin/sh\necho "before the end" > "$TF_LOG_PATH"\nkill -9 $$\n');
    const stage = await world.run('traffic', {
      tool: async ({ run }) => ({ code: (await run({ label: 'tf', tool: 'terraform', program, args: [] })).code }),
    });
    expect(stage.error?.code).toBe('ToolKilled');
    expect(await world.log('traffic')).toContain('tf log: before the end');
  });

  it('a real Terraform says more, and no value of a sensitive variable, although no mask knows it', async () => {
    await world.put(aDocument([traffic], { debug: true }));
    const program = await findTerraform(runnerConfig(process.env));
    const stage = await world.run('traffic', {
      tool: async ({ run, workDirectory: cwd }) => {
        const value = 'kumquat-sensitive';
        const root = {
          variable: { v: { sensitive: true } },
          resource: { terraform_data: { a: { input: `\${var.v}` } } },
        };
        await writeFile(join(cwd, 'main.tf.json'), JSON.stringify(root));
        const environment = { TF_VAR_v: value, CHECKPOINT_DISABLE: '1' };
        for (const args of [['init'], ['apply', '-json', '-auto-approve'], ['apply', '-json', '-auto-approve']]) {
          const result = await run({ label: 'tf', tool: 'terraform', program, args, cwd, environment });
          expect(result.code, result.stdout + result.stderr).toBe(0);
          expect(result.stdout + result.stderr).not.toContain('[INFO]');
        }
        expect(await readFile(join(cwd, 'terraform.tfstate'), 'utf8')).toContain(value);
        return {};
      },
    });
    expect(stage.error).toBeUndefined();
    const log = await world.log('traffic');
    expect(log.split('[INFO]').length).toBeGreaterThan(6);
    expect(log).not.toMatch(/kumquat/);
  });
});
