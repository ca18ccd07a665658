/** Machines and clouds choose the words of their messages: what they cannot do with them. */
import { describe, expect, it } from 'vitest';
import { playbookError } from '#runner/ansible/playbook-failure.ts';
import { kubeoneError } from '#runner/kubeone/kubeone-failure.ts';
import { kubectlError } from '#runner/kubernetes/kubectl-failure.ts';
import { finished } from '#runner/stage-failure.ts';
import { terraformError } from '#runner/terraform/cli/diagnostics.ts';
import { twoProviderState } from '#test/rendering/states.ts';
import { asKubeOnePrints } from './kubeone-shape.ts';

const terraform = (summary: string, detail = '') => {
  const about = { code: 'TerraformApplyFailed', nodes: new Set<string>(), workspace: 'w', fallback: '' };
  return finished(terraformError({ ...about, diagnostics: [{ severity: 'error', summary, detail }] }));
};
const kubeone = (words: string) => finished(kubeoneError(asKubeOnePrints('install-debian', words), twoProviderState()));
const ansible = (message: string) =>
  finished(playbookError([{ event: 'failed', host: 'n1', task: 'Requirements', message, ignored: false }], ''));
const kubectl = (output: string) => finished(kubectlError('apply', output, undefined));
const readers = { terraform, kubeone, ansible, kubectl };

describe('a message that lies', () => {
  it.each(Object.entries(readers))(
    'what a terminal would obey is escaped, and the message is one line: %s',
    (_, read) => {
      const { message } = read('\u001b[2J\u202eE: bad\r\nrm -rf /\u0007');
      expect(message).not.toMatch(/[\p{Cc}\p{Cf}]/u);
      expect(message).toContain('\\u001b');
    },
  );

  it.each(Object.entries(readers))('a message of a million characters is cut: %s', (_, read) => {
    const long = `E: ${'a: b, (c_d, '.repeat(80_000)}\n`.repeat(2);
    expect(read(long).message.length).toBeLessThanOrEqual(2000);
  });

  it('a machine that speaks like KubeOne is not taken for it', () => {
    const words =
      'Error: configuration broken hosts check\nbroken host(s) found, remove it manually\ntime="10:00:00 UTC" level=info msg="x"\nError: configuration validation';
    expect(kubeone(words)).toMatchObject({ class: 'transient', code: 'KubeOneFailed' });
  });

  it('words of a script that is repeated decide nothing', () => {
    const script =
      'exec x # quota exceeded, AccessDenied, StatusCode: 403, Failed to save state, no space left on device';
    const detail = `Error running command '${script}': exit status 1. Output: odd`;
    expect(terraform('local-exec provisioner error', detail)).toMatchObject({
      class: 'transient',
      message: 'local-exec provisioner error: odd',
    });
  });

  it('an output that is empty is a failure with words', () => {
    expect(kubectl('').message).toBe('kubectl apply: it failed without any output.');
    expect(finished(kubeoneError('', twoProviderState())).message).toBe('KubeOne failed without any output.');
    expect(finished(playbookError([], '')).message).toBe('Ansible failed without any output.');
  });

  it('garbage in place of a message is never a fault of Kubeloom', () => {
    const garbage = [
      '\u0000\u0001',
      '{"a":',
      'ZodError: [',
      'undefined is not a function',
      '<html>',
      'null',
      '%!s(<nil>)',
      'panic: ',
    ];
    const found = garbage.flatMap((text) => Object.values(readers).map((read) => read(text)));
    expect(
      found.filter((error) => error.class === 'bug' || /fault of Kubeloom|[Rr]eport it/.test(error.hint ?? '')),
    ).toEqual([]);
  });
});
