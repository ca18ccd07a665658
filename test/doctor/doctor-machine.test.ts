/** `kubeloom doctor` on a machine whose programs are missing, broken or old. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { askProgram } from '#cli/doctor/ask-program.ts';
import type { Check } from '#cli/doctor/check.ts';
import { kubeloomProcess as kubeloom } from '#test/cli/kubeloom-process.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'kubeloom-doctor-'));
});
afterEach(() => {
  rmSync(directory, { recursive: true });
});

/** A program on the PATH that is a shell script. */
function program(name: string, script: string): string {
  const file = join(directory, name);
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  return file;
}

async function doctor(): Promise<ReadonlyMap<string, Check>> {
  const environment = { PATH: `${directory}:${process.env.PATH}`, KUBELOOM_HOME: directory };
  const { stdout } = await kubeloom(['doctor', '--json'], { environment });
  return new Map((JSON.parse(stdout) as Check[]).map((check) => [check.name, check]));
}

describe('kubeloom doctor', { timeout: 120_000 }, () => {
  it('a program that fails is reported with its own error message', async () => {
    program('ansible-playbook', 'echo "ERROR! /root/.ansible cannot be written" >&2; echo "more" >&2; exit 5');

    const ansible = (await doctor()).get('ansible-playbook');

    expect(ansible).toMatchObject({ ok: false, found: 'ERROR! /root/.ansible cannot be written' });
    expect(ansible?.fix).toContain('apt-get install ansible-core');
  });

  it('a tofu or terraform that is too old is refused, with the version that is needed', async () => {
    program('tofu', 'echo "OpenTofu v1.6.2"');
    program('terraform', 'echo "Terraform v1.9.0"');

    const check = (await doctor()).get('terraform or tofu');

    expect(check).toMatchObject({ ok: false, found: 'OpenTofu v1.6.2: 1.10 or newer is needed' });
  });

  it('terraform is used when tofu is broken', async () => {
    program('tofu', 'exit 1');
    program('terraform', 'echo "Terraform v1.11.4"');

    expect((await doctor()).get('terraform or tofu')).toMatchObject({ ok: true, found: 'Terraform v1.11.4' });
  });

  it('the tofu that the set-up put into the data directory is found', async () => {
    mkdirSync(join(directory, 'bin'));
    program('bin/tofu', 'echo "OpenTofu v1.10.6"');

    const { stdout } = await kubeloom(['doctor', '--json'], {
      environment: { PATH: '/usr/bin:/bin', KUBELOOM_HOME: directory },
    });
    expect(JSON.parse(stdout)).toContainEqual(expect.objectContaining({ found: 'OpenTofu v1.10.6', ok: true }));
  });

  it('a feature that the kernel lacks is reported with the answer of the machine', async () => {
    program('unshare', 'echo "unshare: not on this machine" >&2; exit 1');

    const bridge = (await doctor()).get('bridge');

    if (process.getuid?.() === 0) expect(bridge).toMatchObject({ ok: false, found: 'unshare: not on this machine' });
    else expect(bridge).toMatchObject({ found: 'not tried: needs root' });
  });
});

describe('a program that is asked for its version', () => {
  it('a program is missing only if it does not exist', async () => {
    expect(await askProgram(join(directory, 'nothing'), [])).toMatchObject({ ok: false, found: 'missing' });
  });

  it('a Python trace is reported by its last line, which names the cause', async () => {
    const trace = 'Traceback (most recent call last):\n  File "x", line 1\nImportError: no module named yaml';

    const answer = await askProgram(program('broken', `printf '${trace}\\n' >&2; exit 1`), []);

    expect(answer).toMatchObject({ ok: false, missing: false, found: 'ImportError: no module named yaml' });
  });

  it('a program that prints a whole build record is reported by its version alone', async () => {
    const record = `Client Version: version.Info{Major:"1", GitVersion:"v1.20.2", GitCommit:"${'0'.repeat(40)}"}`;

    expect(await askProgram(program('wordy', `echo '${record}'`), [])).toMatchObject({ ok: true, found: '1.20.2' });
  });
});
