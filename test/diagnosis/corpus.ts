/**
 * Messages of tools with what they mean. A file a tool; each message has a heading `@@ CLASS | WHERE | SOURCE`: the class that is expected (with
 * `!`: not retried, although others of the class are), the cloud, event, command or phase of KubeOne, and the public report that it is
 * from, or `sibling`: written after the format of the tool, no report. Facts are from reports, words are ours.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StageError } from '#contracts/stage.ts';
import { errorClasses } from '#domain/errors.ts';
import { failurePolicy } from '#domain/failure-policy.ts';
import { playbookError } from '#runner/ansible/playbook-failure.ts';
import { kubeoneError } from '#runner/kubeone/kubeone-failure.ts';
import { kubectlError } from '#runner/kubernetes/kubectl-failure.ts';
import { finished } from '#runner/stage-failure.ts';
import { terraformError } from '#runner/terraform/cli/diagnostics.ts';
import { diagnosticsOf, readMessage } from '#runner/terraform/cli/messages.ts';
import { twoProviderState } from '#test/rendering/states.ts';
import { asKubeOnePrints } from './kubeone-shape.ts';

export const corpusTools = ['terraform', 'ansible', 'kubeone', 'kubectl'] as const;
export type CorpusTool = (typeof corpusTools)[number];

export interface CorpusMessage {
  readonly tool: CorpusTool;
  /** Cloud, event, command or phase. */
  readonly where: string;
  readonly source: string;
  readonly text: string;
  readonly expected: Pick<StageError, 'class' | 'retryable'>;
}

/** All messages of a tool, in the order of its file. */
export function corpusOf(tool: CorpusTool): readonly CorpusMessage[] {
  return messagesIn(tool, readFileSync(join(import.meta.dirname, 'corpus', `${tool}.txt`), 'utf8'));
}

function messagesIn(tool: CorpusTool, text: string): readonly CorpusMessage[] {
  return text
    .split(/^@@ (?=[a-z])/m)
    .filter(Boolean)
    .map((block) => {
      const [heading = '', ...lines] = block.split('\n');
      const [meaning = '', where = '', source = ''] = heading.split(' | ');
      const found = errorClasses.find((one) => one === meaning.replace('!', ''));
      if (found === undefined) throw new Error(`${tool}.txt: "${heading}" begins with no class`);
      const retryable = failurePolicy[found].inPlace && !meaning.endsWith('!');
      return { tool, where, source, text: lines.join('\n').trimEnd(), expected: { class: found, retryable } };
    });
}

/** What the product makes of a message, through what reads the tool's output. */
export function readingOf({ tool, where, text }: CorpusMessage): StageError {
  const state = twoProviderState();
  if (tool === 'terraform') {
    const [summary = '', ...detail] = text.split('\n');
    const diagnostic = { severity: 'error', summary, detail: detail.join('\n') };
    const line = JSON.stringify({ '@level': 'error', '@message': `Error: ${summary}`, type: 'diagnostic', diagnostic });
    const { message } = readMessage(line);
    const diagnostics = diagnosticsOf(message === undefined ? [] : [message]);
    const about = { code: 'TerraformApplyFailed', nodes: new Set<string>(), workspace: where, fallback: '' };
    return finished(terraformError({ ...about, diagnostics }));
  }
  if (tool === 'kubeone') return finished(kubeoneError(asKubeOnePrints(where, text), state));
  if (tool === 'kubectl') return finished(kubectlError(where, text, undefined));
  const event = where === 'unreachable' ? 'unreachable' : 'failed';
  return finished(
    playbookError([{ event, host: 'compute-1', task: 'Requirements', message: text, ignored: false }], ''),
  );
}
